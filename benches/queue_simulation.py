#!/usr/bin/env python3
"""Simulates a large batch on workers that die, to see what limits it: the commands, the provider or the queue.

usage: benches/queue_simulation.py [--tasks 10000] [--workers 50] [--jobs 2] [--deaths 0.02] [--seconds 60] [--requests 2] [--rate 600]
                                   [--server-ms 10] [--lease 60] [--seed 1]

A task takes a time with the mean SECONDS (log-normal, so that some take ten times as long), and asks the provider REQUESTS times
on average; all workers together may ask RATE times a minute. At each start of a task its worker dies with the probability DEATHS,
at some instant of the task; it loses all its tasks, which others get after LEASE seconds, and is back after 30 s. A task that
was lost runs alone on its worker, and is parked after three deaths. The queue is one server that does one thing at a time:
a task costs it SERVER-MS of processor time, a third at its start and the rest at its end, and each sign of life (every third of
a lease) a twentieth of that. `benches/workers.py` measures SERVER-MS. Prints the time of the batch beside the least that each limit allows.
"""
import collections, heapq, math, random, sys

from red import option

TRIES, RESTART = 3, 30.0


class Shared:
    """A server that serves one request after the other."""

    def __init__(self):
        self.free, self.busy, self.waits = 0.0, 0.0, []

    def serve(self, now, seconds):
        """Returns when a request of this moment is served."""
        begin = max(now, self.free)
        self.waits.append(begin - now)
        self.free = begin + seconds
        self.busy += seconds
        return self.free


class Worker:
    def __init__(self):
        self.life, self.tasks, self.alone = 0, set(), False


def simulate(given, chance):
    queue, provider = Shared(), Shared()
    waiting = collections.deque(range(given.tasks))
    tries = collections.Counter()
    workers = [Worker() for _ in range(given.workers)]
    events, number = [], 0
    done, parked, deaths, work, end = 0, 0, 0, 0.0, 0.0

    def at(time, kind, *what):
        nonlocal number
        number += 1
        heapq.heappush(events, (time, number, kind, what))

    def start(worker, now):
        """Gives a worker as many tasks as it may run."""
        nonlocal work
        while waiting and len(worker.tasks) < given.jobs and not worker.alone:
            is_again = tries[waiting[0]] > 0
            if is_again and worker.tasks:
                return
            task = waiting.popleft()
            tries[task] += 1
            worker.tasks.add(task)
            worker.alone = is_again
            begin = queue.serve(now, given.server_ms / 3000)
            took = chance.lognormvariate(math.log(given.seconds) - 0.5, 1.0)
            # The requests are spread over the task, and each waits for the limit of the rate.
            asked = begin
            for _ in range(sum(chance.random() < given.requests / 4 for _ in range(4))):
                asked = provider.serve(asked, 60.0 / given.rate)
            ended = max(begin + took, asked + took / 2)
            work += took
            for beat in range(1, int((ended - begin) / (given.lease / 3)) + 1):
                at(begin + beat * given.lease / 3, "beat")
            if chance.random() < given.deaths:
                at(begin + chance.random() * (ended - begin), "death", worker, worker.life)
            at(ended, "end", worker, worker.life, task)

    for worker in workers:
        at(0.0, "start", worker)
    while events:
        now, _, kind, what = heapq.heappop(events)
        if kind == "beat":
            queue.serve(now, given.server_ms / 20000)
            continue
        if kind == "lost":
            if tries[what[0]] >= TRIES:
                parked += 1
            else:
                waiting.append(what[0])
            for worker in workers:
                start(worker, now)
            continue
        worker = what[0]
        if kind == "start":
            start(worker, now)
        elif worker.life == what[1] and kind == "death":
            deaths += 1
            for task in sorted(worker.tasks):
                at(now + given.lease, "lost", task)
            worker.life, worker.tasks, worker.alone = worker.life + 1, set(), False
            at(now + RESTART, "start", worker)
        elif worker.life == what[1] and what[2] in worker.tasks:
            end = max(end, queue.serve(now, given.server_ms / 1500))
            done += 1
            worker.tasks.discard(what[2])
            worker.alone = False
            start(worker, now)
    return queue, provider, done, parked, deaths, work, end, tries


def main():
    class Given:
        tasks, workers, jobs, seed = (int(option(f"--{it}", default)) for it, default in
                                      (("tasks", 10000), ("workers", 50), ("jobs", 2), ("seed", 1)))
        deaths, seconds, requests, rate, server_ms, lease = (float(option(f"--{it}", default)) for it, default in
                                                             (("deaths", 0.02), ("seconds", 60), ("requests", 2), ("rate", 600),
                                                              ("server-ms", 10), ("lease", 60)))

    queue, provider, done, parked, deaths, work, end, tries = simulate(Given, random.Random(Given.seed))
    again = sum(many - 1 for many in tries.values())
    waits = sorted(queue.waits)
    print(f"{Given.tasks} tasks, {Given.workers} workers of {Given.jobs} jobs: {end / 60:.1f} min, {done} done, {parked} parked, "
          f"{deaths} deaths of workers, {again} tasks begun again")
    print(f"least by the commands  {work / Given.workers / Given.jobs / 60:6.1f} min")
    print(f"least by the provider  {provider.busy / 60:6.1f} min ({Given.rate:.0f} requests a minute)")
    print(f"least by the queue     {queue.busy / 60:6.1f} min, {queue.busy / end:.1%} of the time; waits {waits[len(waits) // 2] * 1000:.0f} ms "
          f"in the middle, {waits[-1] * 1000:.0f} ms at most")
    sys.exit(0 if done + parked == Given.tasks else 1)


main()
