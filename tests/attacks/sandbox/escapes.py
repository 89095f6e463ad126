"""Tries to get out of the sandbox that it runs in, and prints one line for each try: `held` or `BROKE`.

`targets.json` in the working directory names what the test put outside: files with a canary, servers, processes.
"""
import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import stat
import subprocess
import sys
import time

with open("targets.json") as file:
    T = json.load(file)
CANARY = T["canary"].encode()
LIBC = ctypes.CDLL(None, use_errno=True)
tries = broken = 0


def attempt(name, action):
    """Counts one try: it broke out when the action returns something true."""
    global tries, broken
    tries += 1
    try:
        result = bool(action())
    except BaseException:  # Any failure is what the sandbox is for.
        result = False
    broken += result
    print("BROKE" if result else "held", name)


# Before this script opens anything itself.
for number in range(3, 64):
    attempt(f"use descriptor {number}", lambda: os.fstat(number))


def fresh(name):
    fresh.count += 1
    return f"work/{fresh.count}-{name}"


fresh.count = 0
os.makedirs("work", exist_ok=True)


def has_canary(path):
    with open(path, "rb") as file:
        return CANARY in file.read(1 << 16)


def by_link(path):
    link = fresh("link")
    os.symlink(path, link)
    return has_canary(link)


def by_hard_link(path):
    link = fresh("hard")
    os.link(path, link)
    return has_canary(link)


def by_move(path):
    moved = fresh("moved")
    os.rename(path, moved)
    return has_canary(moved)


def by_parent(path):
    folder = os.open(os.path.dirname(path), os.O_PATH)
    return CANARY in os.read(os.open(os.path.basename(path), os.O_RDONLY, dir_fd=folder), 1 << 16)


def by_reopening(path):
    handle = os.open(path, os.O_PATH)
    return has_canary(f"/proc/self/fd/{handle}")


READS = {
    "open": has_canary,
    "symlink": by_link,
    "hard link": by_hard_link,
    "rename": by_move,
    "root of proc": lambda path: has_canary("/proc/self/root" + path),
    "folder handle": by_parent,
    "handle": by_reopening,
    "other process": lambda path: CANARY in subprocess.run(["cat", path], capture_output=True).stdout,
}
for path in T["secrets"]:
    ways = READS if path in T["secrets"][:8] else list(READS)[:3]
    for way in ways:
        attempt(f"read {path} by {way}", lambda: READS[way](path))


def write(path, flags):
    os.write(os.open(path, flags | os.O_CREAT | os.O_WRONLY, 0o600), b"evil")
    return True


def replace(path):
    own = fresh("evil")
    write(own, 0)
    os.rename(own, path)
    return True


def write_by_link(path):
    link = fresh("link")
    os.symlink(path, link)
    return write(link, 0)


def link_out(path):
    own = fresh("evil")
    write(own, 0)
    os.link(own, path + ".link")
    return True


WRITES = {
    "open": lambda path: write(path, 0),
    "truncate": lambda path: write(path, os.O_TRUNC),
    "truncate call": lambda path: os.truncate(path, 0) is None,
    "rename": replace,
    "symlink": write_by_link,
    "hard link": link_out,
    "remove": lambda path: os.remove(path) is None,
    "folder": lambda path: os.mkdir(path + ".d") is None,
    "socket": lambda path: os.mknod(path + ".s", stat.S_IFSOCK | 0o600) is None,
}
for path in T["writes"]:
    for way, action in WRITES.items():
        attempt(f"write {path} by {way}", lambda: action(path))
for folder in os.environ["PATH"].split(":"):
    if os.path.isabs(folder):
        attempt(f"plant a program in {folder}", lambda: write(folder + "/papayu-evil", 0))


def parents():
    """Returns the processes above the shell that runs this script."""
    pid, found = os.getpid(), []
    while pid > 1:
        with open(f"/proc/{pid}/stat") as file:
            pid = int(file.read().rsplit(")", 1)[1].split()[1])
        found.append(pid)
    return [pid for pid in found[1:] if pid > 0]


OTHERS = list(dict.fromkeys(parents()[:3] + [T["victim"]]))
for pid in OTHERS:
    for name in ["environ", "mem", "maps", "auxv", "stack", "syscall", "pagemap", "io", "task/%d/environ" % pid]:
        attempt(f"read /proc/{pid}/{name}", lambda: open(f"/proc/{pid}/{name}", "rb").read(1))
    for name in ["cwd", "root", "exe", "fd/0", "fd/1", "ns/net"]:
        link = f"/proc/{pid}/{name}"
        attempt(f"follow {link}", lambda: os.readlink(link))
    for name in ["mem", "oom_score_adj", "comm", "coredump_filter", "timerslack_ns"]:
        attempt(f"write /proc/{pid}/{name}", lambda: open(f"/proc/{pid}/{name}", "r+b"))
for path in ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/kernel/modprobe", "/sys/kernel/uevent_helper"]:
    attempt(f"open {path}", lambda: open(path, "r+b"))
for path in ["/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/fuse", "/dev/kvm", "/dev/net/tun"]:
    attempt(f"change {path}", lambda: os.open(path, os.O_RDWR))
for kind in os.listdir("/dev"):
    if kind not in ("fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom", "zero"):
        attempt(f"read device {kind}", lambda: os.open(f"/dev/{kind}", os.O_RDONLY | os.O_NONBLOCK) and not os.path.isdir(f"/dev/{kind}"))
attempt("type into the terminal", lambda: open("/dev/tty", "r+b"))


def call(number, *arguments):
    """Returns true when the kernel does not refuse a system call for what it is."""
    result = LIBC.syscall(ctypes.c_long(number), *[ctypes.c_long(it) for it in arguments])
    return result >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES)


if os.uname().machine == "x86_64":
    CALLS = {
        "ptrace": (101, 16, T["victim"]), "process_vm_readv": (310, T["victim"]), "process_vm_writev": (311, T["victim"]),
        "keyctl": (250, 0, -3), "add_key": (248,), "request_key": (249,), "mount": (165,), "umount2": (166,),
        "setns": (308, 0, 0), "io_uring_setup": (425, 1), "io_uring_enter": (426, 0), "io_uring_register": (427, 0),
        "bpf": (321, 0), "perf_event_open": (298,), "kexec_load": (246,), "kexec_file_load": (320,),
        "init_module": (175,), "finit_module": (313,), "delete_module": (176,), "open_by_handle_at": (304, -100),
        "pidfd_getfd": (438,), "userfaultfd": (323, 1), "fanotify_init": (300,), "pivot_root": (155,), "swapon": (167,),
        "reboot": (169, 0), "quotactl": (179,), "acct": (163, 0), "clone3": (435, 0, 0), "open_tree": (428, -100),
        "move_mount": (429, -100), "fsopen": (430,), "fsmount": (432, -1), "kcmp": (312, os.getpid(), T["victim"]),
        "settimeofday": (164, 0, 0), "sethostname": (170,), "setdomainname": (171,), "iopl": (172, 3),
        "ioperm": (173, 0, 1, 1), "process_madvise": (440,), "mount_setattr": (442, -100),
    }
    for name, numbers in CALLS.items():
        attempt(f"call {name}", lambda: call(*numbers))
    for name, numbers in CALLS.items():
        attempt(f"call {name} with an x32 number", lambda: call(numbers[0] | 0x40000000, *numbers[1:]))
    for flag in [0x20000000, 0x20000, 0x40000000, 0x10000000, 0x08000000, 0x04000000, 0x02000000]:
        attempt(f"unshare {flag:#x}", lambda: call(272, flag))

        def clone():
            pid = LIBC.syscall(ctypes.c_long(56), ctypes.c_long(flag | signal.SIGCHLD), *[ctypes.c_long(0)] * 4)
            if pid == 0:
                os._exit(0)
            return pid > 0

        attempt(f"clone {flag:#x}", clone)
    for pid in OTHERS:
        attempt(f"pidfd_send_signal to {pid}", lambda: LIBC.syscall(424, LIBC.syscall(434, pid, 0), 0, 0, 0) == 0)
        attempt(f"tgkill {pid}", lambda: LIBC.syscall(234, pid, pid, 0) == 0)
        attempt(f"prlimit {pid}", lambda: LIBC.syscall(302, pid, 7, (ctypes.c_ulong * 2)(64, 64), 0) == 0)
for pid in OTHERS:
    for number in [0, signal.SIGCONT, signal.SIGURG, signal.SIGCHLD]:
        attempt(f"send signal {int(number)} to {pid}", lambda: os.kill(pid, number) is None)

for kind in (stat.S_IFBLK, stat.S_IFCHR):
    attempt(f"make device {kind:o}", lambda: os.mknod(fresh("device"), kind | 0o600, os.makedev(1, 1)) is None)

for name in T["variables"]:
    attempt(f"read variable {name}", lambda: name in os.environ)

if not T["network"]:
    for family in range(1, 46):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            # A network of its own has nothing but itself.
            if family in (socket.AF_INET, socket.AF_INET6) and kind != socket.SOCK_RAW:
                continue
            attempt(f"socket of family {family}, kind {int(kind)}", lambda: socket.socket(family, kind))


def connect(family, kind, address):
    with socket.socket(family, kind) as made:
        made.settimeout(0.2)
        made.connect(address)
        made.send(b"secret")
        return CANARY in made.recv(100)


for address in T["abstract"]:
    attempt(f"abstract socket {address}", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + address))
if not T["network"]:
    for address in T["sockets"]:
        attempt(f"socket {address}", lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, address))
    for host in ["127.0.0.1", "localhost", "::1", "0.0.0.0"]:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        attempt(f"TCP to {host}", lambda: connect(family, socket.SOCK_STREAM, (host, T["tcp"])))
        attempt(f"UDP to {host}", lambda: connect(family, socket.SOCK_DGRAM, (host, T["udp"])))
    for host in ["1.1.1.1", "169.254.169.254", "8.8.8.8"]:
        attempt(f"TCP to {host}", lambda: connect(socket.AF_INET, socket.SOCK_STREAM, (host, 80)) or True)
        attempt(f"UDP to {host}", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", (host, 53)))
    attempt("resolve a name", lambda: socket.getaddrinfo("example.com", 80))


N = T["neighbour"]


def attached():
    """Returns true when shared memory of another process is read."""
    LIBC.shmat.restype = ctypes.c_void_p
    address = LIBC.shmat(N["segments"][0], None, 0)
    return address not in (None, ctypes.c_void_p(-1).value) and ctypes.string_at(address, len(CANARY)) == CANARY


attempt("find a segment by its key", lambda: LIBC.shmget(N["key"], 0, 0) >= 0)
attempt("attach a segment", attached)
attempt("remove a segment", lambda: LIBC.shmctl(N["segments"][1], 0, None) == 0)
attempt("find a queue by its key", lambda: LIBC.msgget(N["key"], 0) >= 0)
attempt("send to a queue", lambda: LIBC.msgsnd(N["queue"], ctypes.create_string_buffer(b"\1" + b"\0" * 7 + b"evil"), 4, 0o4000) == 0)
attempt("receive from a queue", lambda: LIBC.msgrcv(N["queue"], ctypes.create_string_buffer(100), 64, 0, 0o4000) > 0)
attempt("find semaphores by their key", lambda: LIBC.semget(N["key"], 1, 0) >= 0)
attempt("set a semaphore", lambda: LIBC.semctl(N["semaphores"], 0, 16, 5) == 0)
attempt("open a queue of POSIX", lambda: LIBC.mq_open(f"/{N['name']}".encode(), os.O_RDWR | os.O_NONBLOCK) >= 0)
attempt("remove a queue of POSIX", lambda: LIBC.mq_unlink(f"/{N['name']}".encode()) == 0)
# Without namespaces `/dev/shm` is shared, and names are visible.
if os.stat("/dev/shm").st_dev != N["memory"]:
    attempt("read shared memory", lambda: has_canary(f"/dev/shm/{N['name']}"))
    attempt("write shared memory", lambda: os.open(f"/dev/shm/{N['name']}", os.O_WRONLY))
    attempt("list shared memory", lambda: N["name"] in os.listdir("/dev/shm"))
    attempt("name the user's terminal", lambda: os.stat(N["terminal"]).st_rdev == N["device"])
    attempt("list segments", lambda: str(N["key"]) in open("/proc/sysvipc/shm").read())
    attempt("list queues", lambda: str(N["key"]) in open("/proc/sysvipc/msg").read())
    attempt("list semaphores", lambda: str(N["key"]) in open("/proc/sysvipc/sem").read())
for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
    attempt(f"open the user's terminal with {flags}", lambda: os.fstat(os.open(N["terminal"], flags | os.O_NOCTTY)).st_rdev == N["device"])


def datagram(kind, address, connected):
    """Sends from one end of a pair to another socket; some kinds ignore the address and send to the other end."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
    with ours, theirs:
        if connected:
            ours.connect(address)
            ours.send(b"secret")
        else:
            ours.sendto(b"secret", address)
        theirs.setblocking(False)
        try:
            return not theirs.recv(100)
        except BlockingIOError:
            return True


def by_reconnecting(address, end):
    """Uses the end of a pair for another connection after it was closed."""
    ours, theirs = socket.socketpair()
    end(ours, theirs)
    ours.connect(address)
    return True


if not T["network"]:
    for address in N["datagrams"]:
        for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET, socket.SOCK_STREAM):
            for connected in (True, False):
                flags = (0, socket.SOCK_CLOEXEC, socket.SOCK_NONBLOCK)
                for flag in flags:
                    attempt(f"pair of kind {int(kind)}, flags {int(flag):#x}, connected {connected}, to {address}",
                            lambda: datagram(kind | flag, address, connected))
    ENDS = {
        "nothing": lambda ours, theirs: None,
        "close": lambda ours, theirs: theirs.close(),
        "shutdown": lambda ours, theirs: ours.shutdown(socket.SHUT_RDWR),
        "both": lambda ours, theirs: (theirs.close(), ours.shutdown(socket.SHUT_RDWR)),
        "no address": lambda ours, theirs: LIBC.connect(ours.fileno(), b"\0" * 16, 16),
    }
    for address in T["sockets"] + ["\0" + it for it in T["abstract"]]:
        for name, end in ENDS.items():
            attempt(f"pair to {address} after {name}", lambda: by_reconnecting(address, end))
    for family in (socket.AF_INET, socket.AF_NETLINK, 40, 38, 1 | 0x100000000):
        attempt(f"pair of family {family}", lambda: LIBC.syscall(53, ctypes.c_long(family), ctypes.c_long(2), 0, (ctypes.c_int * 2)()) == 0)


def by_owner(pid):
    """Lets the kernel send a signal when data arrives."""
    ours, theirs = socket.socketpair()
    fcntl.fcntl(ours, fcntl.F_SETOWN, pid)
    fcntl.fcntl(ours, 10, signal.SIGKILL)
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    theirs.send(b"x")
    time.sleep(0.05)
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "Z"


attempt("signal by the owner of a descriptor", lambda: by_owner(T["victim"]))
attempt("wait for another process", lambda: os.waitid(os.P_PIDFD, os.pidfd_open(T["victim"]), os.WEXITED | os.WNOHANG))
attempt("take another process into a group", lambda: os.setpgid(T["victim"], 0) is None)
attempt("read the kernel's log", lambda: LIBC.klogctl(3, ctypes.create_string_buffer(4096), 4096) > 0)
for path in ["/dev/kmsg", "/proc/kmsg", "/proc/kcore", "/proc/1/root/etc/passwd", "/proc/1/environ", "/proc/1/cwd/etc/passwd"]:
    attempt(f"read {path}", lambda: os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 10))
for path in ["/sys/power/state", "/sys/fs/cgroup/cgroup.procs", "/proc/self/attr/current", "/proc/sys/vm/drop_caches",
             "/proc/sys/kernel/hostname", "/proc/self/uid_map"]:
    attempt(f"write {path}", lambda: os.write(os.open(path, os.O_WRONLY), b"0 0 1"))
for path in T["secrets"][:3]:
    attempt(f"run {path}", lambda: CANARY in subprocess.run(["sh", path], capture_output=True).stderr)
    attempt(f"list {path}", lambda: CANARY in subprocess.run(["tar", "cf", "-", path], capture_output=True).stdout)
    attempt(f"read {path} with git", lambda: CANARY in subprocess.run(
        ["git", "diff", "--no-index", "/dev/null", path], capture_output=True).stdout)
    attempt(f"include {path} in git's configuration", lambda: CANARY in subprocess.run(
        ["git", "-c", f"include.path={path}", "config", "--list"], capture_output=True).stderr)
    attempt(f"map {path}", lambda: CANARY in mmap.mmap(os.open(path, os.O_RDONLY), 0, prot=mmap.PROT_READ)[:])
    attempt(f"read extended attributes of {path}", lambda: os.getxattr(path, "user.x"))
for variable in ["LD_PRELOAD", "LD_AUDIT", "PYTHONSTARTUP", "BASH_ENV", "GIT_DIR", "GIT_CONFIG_GLOBAL"]:
    attempt(f"inherit {variable}", lambda: variable in os.environ)


def by_memory_program(path):
    """Runs a program that exists in memory only."""
    handle = os.memfd_create("evil", 0)
    os.write(handle, b"#!/bin/sh\ncat " + path.encode() + b"\n")
    os.set_inheritable(handle, True)
    ran = subprocess.run([f"/proc/self/fd/{handle}"], capture_output=True, pass_fds=[handle])
    return CANARY in ran.stdout


def by_exec_of_handle(path):
    handle = os.open(path, os.O_PATH)
    os.set_inheritable(handle, True)
    ran = subprocess.run(["sh", f"/proc/self/fd/{handle}"], capture_output=True, pass_fds=[handle])
    return CANARY in ran.stderr + ran.stdout


def by_exchange(path):
    own = fresh("own")
    write(own, 0)
    return LIBC.renameat2(-100, own.encode(), -100, path.encode(), 2) == 0


def by_unnamed_file(path):
    """Links a file without a name, made in our folder, to a place outside."""
    handle = os.open("work", os.O_TMPFILE | os.O_RDWR)
    os.write(handle, b"evil")
    os.link(f"/proc/self/fd/{handle}", path + ".tmpfile", follow_symlinks=True)
    return True


def by_copy(path):
    own = os.open(fresh("own"), os.O_CREAT | os.O_RDWR)
    os.write(own, b"evil")
    os.lseek(own, 0, 0)
    return os.copy_file_range(own, os.open(path, os.O_PATH), 4) > 0


def by_swapped_folder(path):
    """Puts a link in the place of a folder while a file in it is opened."""
    folder, name = os.path.split(path)
    place = fresh("swap")
    for _ in range(200):
        os.makedirs(place, exist_ok=True)
        if not os.fork():
            try:
                os.rmdir(place)
                os.symlink(folder, place)
            finally:
                os._exit(0)
        try:
            if has_canary(f"{place}/{name}"):
                return True
        except OSError:
            pass
        os.wait()
        if os.path.islink(place):
            os.remove(place)
    return False


def by_script(words):
    return lambda path: CANARY in subprocess.run([*words, path], capture_output=True).stdout


READ_WAYS = {
    "a program in memory": by_memory_program,
    "a run handle": by_exec_of_handle,
    "a folder that is swapped": by_swapped_folder,
    "the working directory of a thread": lambda path: has_canary(f"/proc/thread-self/root{path}"),
    "a task": lambda path: has_canary(f"/proc/self/task/{os.getpid()}/root{path}"),
    "the parent's directory": lambda path: has_canary(f"/proc/{os.getppid()}/root{path}"),
    "many dots": lambda path: has_canary("../" * 40 + path),
    "tail": by_script(["tail", "-n", "5"]),
    "an archive": by_script(["tar", "-cO"]),
    "a sum of git": lambda path: CANARY in subprocess.run(["git", "hash-object", "-w", path], capture_output=True).stderr,
    "a list of python": lambda path: has_canary(os.fsencode(path)),
    "awk": by_script(["awk", "1"]),
}
for path in T["secrets"][:2]:
    for name, action in READ_WAYS.items():
        attempt(f"read {path} by {name}", lambda: action(path))
WRITE_WAYS = {
    "an exchange": by_exchange,
    "a file without a name": by_unnamed_file,
    "a copied range": by_copy,
    "a lock": lambda path: fcntl.flock(os.open(path, os.O_RDWR), fcntl.LOCK_EX) is None,
    "a lease": lambda path: fcntl.fcntl(os.open(path, os.O_WRONLY), fcntl.F_SETLEASE, fcntl.F_WRLCK) == 0,
    "a pipe": lambda path: os.mkfifo(path + ".pipe") is None,
    "a link": lambda path: os.symlink("/etc/passwd", path + ".symlink") is None,
    "sed": lambda path: subprocess.run(["sed", "-i", "s/own/evil/", path], capture_output=True).returncode == 0,
    "a swapped parent": lambda path: os.rename(os.path.dirname(path), os.path.dirname(path) + ".old") is None,
    "an append": lambda path: write(path, os.O_APPEND),
    "an allocation": lambda path: os.posix_fallocate(os.open(path, os.O_RDWR), 0, 10) is None,
}
for path in T["writes"][:2]:
    for name, action in WRITE_WAYS.items():
        attempt(f"write {path} by {name}", lambda: action(path))
attempt("rename the working tree", lambda: os.rename(os.getcwd(), os.getcwd() + ".old") is None)
attempt("remove the working tree", lambda: os.rmdir(os.getcwd()) is None)
attempt("exchange the working tree", lambda: LIBC.renameat2(
    -100, os.getcwd().encode(), -100, os.path.dirname(os.getcwd()).encode() + b"/home", 2) == 0)
for pid in OTHERS:
    attempt(f"reap the memory of {pid}", lambda: LIBC.syscall(448, LIBC.syscall(434, pid, 0), 0) == 0)
    attempt(f"take a descriptor of {pid}", lambda: LIBC.syscall(438, LIBC.syscall(434, pid, 0), 0, 0) >= 0)
    attempt(f"list the memory of {pid}", lambda: os.listdir(f"/proc/{pid}/map_files"))
    # Their numbers are visible.
    attempt(f"open the descriptors of {pid}", lambda: [os.open(f"/proc/{pid}/fd/{it}", os.O_RDONLY | os.O_NONBLOCK) for it in os.listdir(f"/proc/{pid}/fd")])
    attempt(f"signal the group of {pid}", lambda: os.killpg(os.getpgid(pid), signal.SIGCONT) is None)
for request in (0x5412, 0x541C, 0x540E, 0x5410):
    for handle in range(3):
        # 0x5412 types a character, 0x541C speaks to a console, the others take the terminal.
        attempt(f"terminal request {request:#x} on {handle}", lambda: fcntl.ioctl(handle, request, b"\n" * 8) is not None)
with open("/proc/self/status") as file:
    SETS = {line.split(":")[0]: int(line.split()[1], 16) for line in file if line.startswith("Cap")}
# Reading any file, tracing, kernel modules, raw memory, mounts, devices, boot, clock, the log, eBPF and counters.
for number in (2, 16, 17, 19, 21, 22, 25, 27, 34, 38, 39, 40):
    for name in ("CapEff", "CapPrm", "CapInh", "CapAmb", "CapBnd"):
        attempt(f"have capability {number} in {name}", lambda: SETS[name] >> number & 1)
for words in (["nsenter", "-t", str(T["victim"]), "-m", "-n", "true"], ["unshare", "-r", "true"], ["unshare", "-m", "true"], ["unshare", "-n", "true"],
              ["mount", "-t", "tmpfs", "x", "work"], ["mount", "--bind", "/", "work"], ["bwrap", "--ro-bind", "/", "/", "true"],
              ["strace", "-p", str(T["victim"])], ["gdb", "-p", str(T["victim"]), "-batch"], ["modprobe", "dummy"],
              ["ip", "link", "add", "papayu-evil", "type", "dummy"], ["dmesg"], ["losetup", "/dev/loop7", "targets.json"]):
    attempt("run " + " ".join(words), lambda: subprocess.run(words, capture_output=True, timeout=5).returncode == 0)
for path in ("/proc/sys/fs/binfmt_misc/register", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/user/max_user_namespaces", "/proc/sys/kernel/yama/ptrace_scope",
             "/proc/sys/kernel/ns_last_pid", "/proc/irq/0/smp_affinity", "/sys/fs/cgroup/cgroup.subtree_control", "/sys/kernel/debug/x", "/sys/kernel/tracing/trace",
             "/sys/module/kernel/parameters/panic", "/proc/self/loginuid", "/proc/self/setgroups", "/proc/acpi/wakeup", "/dev/shm/../mem"):
    attempt(f"open {path} for writing", lambda: os.open(path, os.O_WRONLY))
attempt("make a control group", lambda: os.mkdir("/sys/fs/cgroup/papayu-evil") is None)
for address in ("/run/dbus/system_bus_socket", "/run/systemd/private", "/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock", "/run/udev/control"):
    attempt(f"connect to {address}", lambda: socket.socket(socket.AF_UNIX).connect(address) is None)
if T["network"]:
    for family, kind in ((socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_DGRAM)):
        attempt(f"socket of family {int(family)} with the network", lambda: socket.socket(family, kind))


def daemon(number):
    """Leaves a process that would write a file of the tree after the run."""
    code = f"""
import os, signal, time
for it in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(it, signal.SIG_IGN)
if {number} % 2: os.setsid()
for _ in range({number}):
    if os.fork(): os._exit(0)
if {number} == 3: __import__('ctypes').CDLL(None).prctl(36, 1)
os.closerange(0, 100)
for turn in range(100):
    time.sleep(0.02)
    if {number} > 3 and os.fork(): os._exit(0)
open('daemon-{number}', 'w').write('alive')
"""
    subprocess.Popen([sys.executable, "-S", "-c", code], start_new_session=number % 3 == 0)


for number in range(6):
    daemon(number)
print(f"tries {tries} broken {broken}")
sys.stdout.flush()
os._exit(1)
