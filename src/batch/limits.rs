//! Limits the requests of a batch: a rate for each host, and a pause for hosts that do not answer.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::breaker::Breaker;
use papayu_system::{Clock, Http, HttpError, HttpRequest, HttpResponse};

/// Requests in a minute to one host; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// Each host of a provider.
    pub provider: Option<NonZeroU32>,
    /// The forge's host.
    pub forge: Option<NonZeroU32>,
}

/// The state of a host.
struct Host {
    limiter: Option<RateLimiter>,
    breaker: Breaker,
}

/// Spaces requests evenly and allows a burst of one minute's requests.
struct RateLimiter {
    /// Between two requests of a host that is asked without pause.
    interval: Duration,
    /// The time that a burst may be ahead of the even spacing.
    tolerance: Duration,
    /// When the next request is due by the even spacing, on the batch's clock.
    due: Duration,
}

impl RateLimiter {
    /// Returns a limiter for this many requests a minute, by the generic cell rate algorithm: a
    /// full minute's worth may be sent at once, then one each interval.
    fn per_minute(rate: NonZeroU32) -> Self {
        // `rate` is at least 1, so that the division is defined.
        let interval = Duration::from_mins(1) / rate.get();
        Self { interval, tolerance: interval * (rate.get() - 1), due: Duration::ZERO }
    }

    /// Takes one request's place at `now`; an error is the time to wait before asking again.
    ///
    /// # Errors
    ///
    /// The time to wait; nothing was taken then.
    fn acquire(&mut self, now: Duration) -> Result<(), Duration> {
        // The generic cell rate algorithm: one number instead of a list of past requests.
        // A host that was idle saves up no more than one burst.
        let due = self.due.max(now);
        let early = due.saturating_sub(now).saturating_sub(self.tolerance);
        if !early.is_zero() {
            return Err(early);
        }
        self.due = due + self.interval;
        Ok(())
    }
}

/// An HTTP client with limits for each host.
pub struct GovernedHttp {
    inner: Arc<dyn Http>,
    clock: Arc<dyn Clock>,
    rates: Rates,
    /// The forge's host, as in its API's address.
    forge: String,
    // Sorted by name for the report.
    hosts: Mutex<BTreeMap<String, Host>>,
}

/// A host with paused requests, for the report.
#[derive(
    Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Down {
    /// Host and port.
    pub host: String,
    /// The number of pauses.
    pub times: u32,
    /// Requests that were not sent to it.
    pub not_sent: u64,
    /// The last error.
    pub reason: String,
}

impl GovernedHttp {
    /// Returns a client that sends through `inner`; `forge` is the address of the forge's API.
    pub fn new(inner: Arc<dyn Http>, clock: Arc<dyn Clock>, rates: Rates, forge: &str) -> Self {
        let hosts = Mutex::new(BTreeMap::new());
        Self { inner, clock, rates, forge: host_of(forge), hosts }
    }

    /// Returns the hosts that were paused, sorted by name.
    /// The list is for the report of the batch; a host that answers again remains in it.
    pub fn hosts_down(&self) -> Vec<Down> {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut down = Vec::new();
        for (name, Host { breaker, .. }) in hosts.iter() {
            if breaker.times > 0 {
                let (times, not_sent) = (breaker.times, breaker.not_sent);
                down.push(Down {
                    host: name.clone(),
                    times,
                    not_sent,
                    reason: breaker.reason.clone(),
                });
            }
        }
        down
    }

    /// Waits until the rate of the host allows a request; an error while the host is paused.
    ///
    /// # Errors
    ///
    /// [`HttpError::LeftAlone`] during a pause, [`HttpError::Interrupted`] after a signal.
    fn wait_for_turn(&self, name: &str) -> Result<(), HttpError> {
        loop {
            let wait = {
                let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
                let host = hosts.entry(name.to_owned()).or_insert_with(|| self.new_host(name));
                let now = self.clock.elapsed();
                // No limiter, no wait.
                let early = host.limiter.as_mut().and_then(|limiter| limiter.acquire(now).err());
                let Some(wait) = early else {
                    // Asked last: a request that the breaker permits must really be sent, as
                    // it may be the probe.
                    let asked = host.breaker.allow_request(now);
                    return asked.map_err(|reason| {
                        HttpError::LeftAlone(format!("{name} is left alone for now: {reason}"))
                    });
                };
                wait
            };
            // The lock is released while it sleeps; another thread may take the turn, hence the
            // loop.
            if !self.clock.sleep(wait) {
                return Err(HttpError::Interrupted);
            }
        }
    }

    /// Returns the state of a host that was not seen before.
    fn new_host(&self, name: &str) -> Host {
        let rate = if name == self.forge { self.rates.forge } else { self.rates.provider };
        let limiter = rate.map(RateLimiter::per_minute);
        Host { limiter, breaker: Breaker::default() }
    }

    /// Counts an answer for the breaker of a host.
    fn record_answer(&self, name: &str, answer: &Result<HttpResponse, HttpError>) {
        let down = match answer {
            // Only these codes say that the server itself is down; 429 and 4xx are answers.
            Ok(answer) if matches!(answer.status, 500 | 502 | 503 | 504 | 529) => {
                Some(format!("it answers {}", answer.status))
            }
            Err(
                error @ (HttpError::Connection(_) | HttpError::Refused(_) | HttpError::Timeout(_)),
            ) => Some(error.to_string()),
            // A signal is no sign of a host that is down.
            Err(HttpError::Interrupted) => return,
            // Every other error is one of the request and not of the server.
            Ok(_) | Err(_) => None,
        };
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.get_mut(name) {
            host.breaker.record_result(down, self.clock.elapsed());
        }
    }

    /// Sends a request as soon as the rate permits; while the breaker of the host is open it is
    /// refused at once.
    fn send_governed(
        &self,
        request: &HttpRequest,
        send: impl FnOnce() -> Result<HttpResponse, HttpError>,
    ) -> Result<HttpResponse, HttpError> {
        let name = host_of(&request.url);
        self.wait_for_turn(&name)?;
        let answer = send();
        self.record_answer(&name, &answer);
        answer
    }
}

impl Http for GovernedHttp {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, HttpError> {
        self.send_governed(request, || self.inner.send(request))
    }

    fn stream(
        &self,
        request: &HttpRequest,
        body: &mut dyn FnMut(&[u8]),
    ) -> Result<HttpResponse, HttpError> {
        self.send_governed(request, || self.inner.stream(request, body))
    }
}

/// Returns the host of an address with its port, if it has one; the rate and the breaker are per
/// host.
/// An address that cannot be parsed has the empty host; sending it fails later.
fn host_of(url: &str) -> String {
    let url = url::Url::parse(url).ok();
    let host = url.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
    match url.as_ref().and_then(url::Url::port) {
        // Another port is another server.
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests;
