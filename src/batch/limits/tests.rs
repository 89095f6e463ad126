//! The door of a batch's requests, in front of a server that never answers and a clock that only we move.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::*;
use papayu_system::{Method, PrivateHosts};

/// A server that is down for as long as `up` is nought.
#[derive(Default)]
struct Server {
    up: AtomicU32,
    asked: AtomicU32,
}

impl Http for Server {
    fn send(&self, _: &HttpRequest) -> Result<HttpResponse, HttpError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        match self.up.load(Ordering::Relaxed) {
            0 => Err(HttpError::Connection("refused".to_owned())),
            status => Ok(HttpResponse {
                status: u16::try_from(status).unwrap(),
                headers: Vec::new(),
                body: Vec::new(),
            }),
        }
    }
}

/// Seconds that only the test lets pass.
#[derive(Default)]
struct Hand(AtomicU64);

impl Clock for Hand {
    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.0.load(Ordering::Relaxed))
    }

    fn timestamp(&self) -> String {
        String::new()
    }

    fn fresh_id(&self) -> String {
        String::new()
    }

    fn sleep(&self, _: Duration) -> bool {
        // Whoever is told to wait in these tests is told to stop.
        false
    }

    fn interrupted(&self) -> bool {
        false
    }
}

fn request(url: &str) -> HttpRequest {
    HttpRequest {
        method: Method::Get,
        url: url.to_owned(),
        headers: Vec::new(),
        body: None,
        timeout: Duration::from_secs(1),
        max_bytes: 1,
        private_hosts: PrivateHosts::Allowed,
    }
}

fn governed(rates: Rates) -> (Arc<Server>, Arc<Hand>, GovernedHttp) {
    let (server, hand) = (Arc::new(Server::default()), Arc::new(Hand::default()));
    let governed = GovernedHttp::new(server.clone(), hand.clone(), rates, "http://forge:1/api");
    (server, hand, governed)
}

#[test]
fn a_provider_that_is_down_is_not_asked_by_every_task_and_another_one_is() {
    let (server, hand, governed) = governed(Rates::default());
    let asks = |url: &str| governed.send(&request(url)).map(|answer| answer.status);
    for _ in 0..100 {
        assert!(asks("http://down/v1").is_err());
    }
    assert_eq!(server.asked.load(Ordering::Relaxed), 5);
    let Err(HttpError::LeftAlone(message)) = asks("http://down/v2") else { panic!("it was asked") };
    assert!(message.contains("down is left alone") && message.contains("refused"), "{message}");
    server.up.store(200, Ordering::Relaxed);
    assert_eq!(asks("http://down:81/v1"), Ok(200), "another port is another server");
    hand.0.store(60, Ordering::Relaxed);
    assert_eq!(asks("http://down/v1"), Ok(200));
    let [down] = &governed.hosts_down()[..] else { panic!("{:?}", governed.hosts_down()) };
    assert_eq!((down.host.as_str(), down.times, down.not_sent), ("down", 1, 96));
}

#[test]
fn an_answer_that_refuses_is_an_answer() {
    let (server, _, governed) = governed(Rates::default());
    for status in [401, 404, 429] {
        server.up.store(status, Ordering::Relaxed);
        for _ in 0..10 {
            assert!(governed.send(&request("http://h")).is_ok(), "{status}");
        }
    }
    assert_eq!(governed.hosts_down(), []);
}

#[test]
fn the_forge_and_each_provider_have_rates_of_their_own() {
    let rates = Rates { provider: NonZeroU32::new(3), forge: NonZeroU32::new(2) };
    let (server, _, governed) = governed(rates);
    server.up.store(200, Ordering::Relaxed);
    let sent = |url: &str| (0..9).filter(|_| governed.send(&request(url)).is_ok()).count();
    assert_eq!([sent("http://forge:1/x"), sent("http://a"), sent("http://b")], [2, 3, 3]);
}

#[test]
fn a_rate_allows_a_burst_and_then_spaces_requests_evenly() {
    let mut limiter = RateLimiter::per_minute(NonZeroU32::new(3).unwrap());
    let second = Duration::from_secs;
    let mut acquire = |at: u64| limiter.acquire(second(at));
    assert_eq!([acquire(0), acquire(0), acquire(0)], [Ok(()); 3]);
    assert_eq!(acquire(5), Err(second(15)));
    assert_eq!([acquire(20), acquire(20)], [Ok(()), Err(second(20))]);
    assert_eq!([acquire(600), acquire(600), acquire(600)], [Ok(()); 3]);
    assert!(acquire(600).is_err());
}
