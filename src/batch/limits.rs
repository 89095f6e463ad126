//! The door that every request of a batch goes through: rates for each host, and hosts that are down left alone.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};

use super::breaker::Breaker;
use crate::system::{Clock, Http, HttpError, HttpRequest, HttpResponse};

/// How many requests a minute a host is sent; `None` is any number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// Each host of a provider.
    pub provider: Option<NonZeroU32>,
    /// The forge's host.
    pub forge: Option<NonZeroU32>,
}

/// What is known of a host.
struct Host {
    limiter: Option<DefaultDirectRateLimiter>,
    breaker: Breaker,
}

/// Requests on their way out, governed.
pub struct Governed {
    inner: Arc<dyn Http>,
    clock: Arc<dyn Clock>,
    rates: Rates,
    /// The forge's host, as in its API's address.
    forge: String,
    hosts: Mutex<BTreeMap<String, Host>>,
}

/// A host that was left alone, for the report.
#[derive(
    Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Down {
    /// Host and port.
    pub host: String,
    /// How often it was found down.
    pub times: u32,
    /// Requests that were not sent to it.
    pub not_sent: u64,
    /// What it last said, or did not say.
    pub reason: String,
}

impl Governed {
    /// Puts itself before `inner`; `forge` is the address of the forge's API.
    pub fn new(inner: Arc<dyn Http>, clock: Arc<dyn Clock>, rates: Rates, forge: &str) -> Self {
        let hosts = Mutex::new(BTreeMap::new());
        Self { inner, clock, rates, forge: host_of(forge), hosts }
    }

    /// Returns the hosts that were found down, by name.
    pub fn down(&self) -> Vec<Down> {
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let down = hosts.iter().filter(|(_, host)| host.breaker.times > 0);
        let told = |(name, host): (&String, &Host)| Down {
            host: name.clone(),
            times: host.breaker.times,
            not_sent: host.breaker.not_sent,
            reason: host.breaker.reason.clone(),
        };
        down.map(told).collect()
    }

    /// Waits for this host's turn; an error where it is left alone.
    fn turn(&self, name: &str) -> Result<(), HttpError> {
        loop {
            let wait = {
                let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
                let host = hosts.entry(name.to_owned()).or_insert_with(|| self.host(name));
                let early = host.limiter.as_ref().and_then(|limiter| limiter.check().err());
                let Some(until) = early else {
                    let asked = host.breaker.ask(self.clock.elapsed());
                    return asked.map_err(|reason| {
                        HttpError::LeftAlone(format!("{name} is left alone for now: {reason}"))
                    });
                };
                until.wait_time_from(DefaultClock::default().now())
            };
            if !self.clock.sleep(wait) {
                return Err(HttpError::Interrupted);
            }
        }
    }

    fn host(&self, name: &str) -> Host {
        let rate = if name == self.forge { self.rates.forge } else { self.rates.provider };
        let limiter = rate.map(|rate| RateLimiter::direct(Quota::per_minute(rate)));
        Host { limiter, breaker: Breaker::default() }
    }

    fn heard(&self, name: &str, answer: &Result<HttpResponse, HttpError>) {
        let down = match answer {
            Ok(answer) if matches!(answer.status, 500 | 502 | 503 | 504 | 529) => {
                Some(format!("it answers {}", answer.status))
            }
            Err(error @ (HttpError::Connection(_) | HttpError::Timeout(_))) => {
                Some(error.to_string())
            }
            // Our own wish to stop says nothing about it.
            Err(HttpError::Interrupted) => return,
            Ok(_) | Err(_) => None,
        };
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.get_mut(name) {
            host.breaker.tell(down, self.clock.elapsed());
        }
    }

    fn through(
        &self,
        request: &HttpRequest,
        send: impl FnOnce() -> Result<HttpResponse, HttpError>,
    ) -> Result<HttpResponse, HttpError> {
        let name = host_of(&request.url);
        self.turn(&name)?;
        let answer = send();
        self.heard(&name, &answer);
        answer
    }
}

impl Http for Governed {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, HttpError> {
        self.through(request, || self.inner.send(request))
    }

    fn stream(
        &self,
        request: &HttpRequest,
        body: &mut dyn FnMut(&[u8]),
    ) -> Result<HttpResponse, HttpError> {
        self.through(request, || self.inner.stream(request, body))
    }
}

fn host_of(url: &str) -> String {
    let url = url::Url::parse(url).ok();
    let host = url.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
    match url.as_ref().and_then(url::Url::port) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests;
