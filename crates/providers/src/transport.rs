//! One call of a model over HTTP: encode, send, classify; ask again with less, or later.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::capability::{Capabilities, Feature};
use super::complaint;
use super::endpoint::Endpoint;
use super::exchange::{
    CallLimits, ModelRequest, Provider, ProviderError, ProviderFault, ProviderReply,
};
use super::wire::{Options, Parts, VendorWire};
use super::{KeySetting, ProviderConfig};
use papayu_base::domain::{Event, EventName, Usage};
use papayu_system::retry::{Decision, Patience, RetryReason, retry_after};
use papayu_system::{
    Clock, Http, HttpError, HttpRequest, HttpResponse, Method, PrivateHosts, System,
};

/// Longest reply read, in bytes: far more than the longest output any request asks for.
const MAX_REPLY_BYTES: u64 = 8 * 1024 * 1024;

/// Longest wait for the capabilities of a model.
const LOOK_UP_TIMEOUT: Duration = Duration::from_secs(5);

/// The address and wire format of a model.
pub(crate) struct ModelAddress {
    /// The provider's name.
    pub(crate) name: &'static str,
    /// The format.
    pub(crate) wire: VendorWire,
    /// The URL.
    pub(crate) endpoint: Endpoint,
    /// Headers, the key's among them.
    pub(crate) headers: Vec<(String, SecretString)>,
    /// The model.
    pub(crate) model: String,
    /// True to send the schema.
    pub(crate) strict: bool,
    /// The URL that lists the capabilities of a model, where the server has one.
    pub(crate) capabilities: Option<Endpoint>,
}

/// A model behind an HTTP API.
pub(crate) struct ModelApi<'a> {
    address: ModelAddress,
    key: Option<SecretString>,
    key_setting: KeySetting,
    timeout: Duration,
    effort: Option<&'static str>,
    temperature: f64,
    http: &'a dyn Http,
    clock: &'a dyn Clock,
    capabilities: Mutex<Capabilities>,
    announced: OnceLock<()>,
}

impl<'a> ModelApi<'a> {
    /// Returns a provider that has not sent anything yet.
    pub(crate) fn new(address: ModelAddress, config: &ProviderConfig, system: System<'a>) -> Self {
        let key = config.api_key.as_ref().map(|key| key.expose_secret().trim().into());
        let capabilities = Mutex::new(Capabilities::new(address.strict));
        let (http, clock) = (system.http, system.clock);
        let announced = OnceLock::new();
        let (timeout, effort) = (config.timeout, config.reasoning_effort.word());
        Self {
            address,
            key,
            key_setting: config.key_setting,
            timeout,
            effort,
            temperature: config.temperature,
            http,
            clock,
            capabilities,
            announced,
        }
    }

    /// Returns the setting of the key.
    pub(crate) fn key_setting(&self) -> KeySetting {
        self.key_setting
    }

    /// Returns the provider's name, where it is asked, and with which headers.
    pub(crate) fn address(&self) -> (&'static str, &Endpoint, &[(String, SecretString)]) {
        (self.address.name, &self.address.endpoint, &self.address.headers)
    }

    /// Returns what the server is known to support.
    fn current_capabilities(&self) -> Capabilities {
        self.capabilities.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks the server once whether the model calls tools, before the first request without a schema.
    fn look_up_tools(&self) {
        let Some(url) = &self.address.capabilities else { return };
        if self.current_capabilities().is_supported(Feature::StructuredOutput) {
            return;
        }
        self.announced.get_or_init(|| {
            let body = json!({ "model": self.address.model }).to_string().into_bytes();
            let answer = self.http.send(&HttpRequest {
                method: Method::Post,
                url: url.as_str().to_owned(),
                headers: self.address.headers.clone(),
                body: Some(body),
                timeout: LOOK_UP_TIMEOUT,
                max_bytes: MAX_REPLY_BYTES,
                private_hosts: PrivateHosts::Allowed,
            });
            // A server that does not answer this is an older one, and its models are asked without tools.
            let described: Option<Value> =
                answer.ok().and_then(|answer| serde_json::from_slice(&answer.body).ok());
            let listed = described.as_ref().and_then(|it| it.get("capabilities")?.as_array());
            if listed.is_some_and(|list| list.iter().any(|name| name == "tools")) {
                let mut takes = self.capabilities.lock().unwrap_or_else(PoisonError::into_inner);
                takes.allow(Feature::Tools);
            }
        });
    }

    /// Removes the feature that a complaint of the server names, so that no later request uses it.
    /// Returns the feature.
    fn learn_from(&self, complaint: &str) -> Option<Feature> {
        let mut takes = self.capabilities.lock().unwrap_or_else(PoisonError::into_inner);
        takes.learn_from(self.address.wire.droppable, complaint)
    }

    /// Returns a text of the server for messages: cut, and without the key, which some servers
    /// repeat.
    fn clean_message(&self, text: &str) -> String {
        complaint::clean_message(text, self.key.as_ref())
    }

    /// Returns the error of a status that repeating does not help.
    fn refused_fault(&self, status: u16, message: &str) -> ProviderFault {
        let hint = match status {
            401 | 403 => format!("; is {} right?", self.key_setting.place()),
            300..=399 => "; redirects are not followed, set the final URL".to_owned(),
            _ => String::new(),
        };
        let message = format!("{}{hint}", self.clean_message(message));
        ProviderFault::Refused { url: self.address.endpoint.display_url(), status, message }
    }

    /// Returns the error of a body that is no answer of this API.
    fn unreadable_fault(&self, reason: &str) -> ProviderFault {
        let url = self.address.endpoint.display_url();
        ProviderFault::Unreadable { url, reason: self.clean_message(reason) }
    }
}

impl Provider for ModelApi<'_> {
    fn name(&self) -> &'static str {
        self.address.name
    }

    fn model(&self) -> &str {
        &self.address.model
    }

    fn sends_schema(&self) -> bool {
        self.current_capabilities().is_supported(Feature::StructuredOutput)
    }

    fn ask(
        &self,
        request: &ModelRequest,
        call: &CallLimits<'_>,
    ) -> Result<ProviderReply, ProviderError> {
        let started = self.clock.elapsed();
        let spent = RequestSpend::default();
        let mut asking =
            Asking { api: self, request, call, started, patience: Patience::new(), spent };
        let answer = asking.until_answered();
        let RequestSpend { usage, requests } = asking.spent;
        match answer {
            Ok(parts) => {
                let Parts { text, finish, .. } = parts;
                Ok(ProviderReply { text, finish, usage, requests, merge: None })
            }
            Err(fault) => Err(ProviderError { provider: self.address.name, fault, requests }),
        }
    }
}

/// Why one request brought no reply, and what is left to do.
enum Setback {
    /// Nothing.
    Final(ProviderFault),
    /// Send again, later.
    Passing(RetryReason, ProviderFault),
    /// Send again without this.
    Without(Feature, String),
}

#[derive(Default)]
struct RequestSpend {
    usage: Usage,
    requests: u32,
}

/// One call in progress.
struct Asking<'c> {
    api: &'c ModelApi<'c>,
    request: &'c ModelRequest,
    call: &'c CallLimits<'c>,
    started: Duration,
    patience: Patience,
    spent: RequestSpend,
}

impl Asking<'_> {
    /// Sends the request again while its failure may pass, or with a feature less.
    fn until_answered(&mut self) -> Result<Parts, ProviderFault> {
        loop {
            match self.send_once() {
                Ok(parts) => return Ok(parts),
                Err(Setback::Final(fault)) => return Err(fault),
                Err(Setback::Without(feature, message)) => self.tell_dropped(feature, &message),
                Err(Setback::Passing(trouble, fault)) => self.pause_or_fail(trouble, fault)?,
            }
        }
    }

    /// Returns the time that the run has left for this call.
    fn time_left(&self) -> Duration {
        let used = self.api.clock.elapsed().saturating_sub(self.started);
        self.call.time_left.saturating_sub(used)
    }

    /// Sends the request once.
    fn send_once(&mut self) -> Result<Parts, Setback> {
        let sent_at = self.api.clock.elapsed();
        let timeout = self.api.timeout.min(self.time_left());
        if timeout.is_zero() {
            let url = self.api.address.endpoint.display_url();
            return Err(Setback::Final(ProviderFault::Timeout { url, seconds: 0 }));
        }
        self.api.look_up_tools();
        self.emit_sent();
        self.spent.requests += 1;
        let answer = self.api.http.send(&HttpRequest {
            method: Method::Post,
            url: self.api.address.endpoint.as_str().to_owned(),
            headers: self.api.address.headers.clone(),
            body: Some(self.request_body()),
            timeout,
            max_bytes: MAX_REPLY_BYTES,
            private_hosts: PrivateHosts::Allowed,
        });
        let answer = answer.map_err(|error| self.no_answer(error, timeout))?;
        if !(200..300).contains(&answer.status) {
            return Err(self.read_refusal(&answer));
        }
        match (self.api.address.wire.decode)(&answer.body) {
            Ok(parts) => {
                self.spent.usage += parts.usage;
                self.tell_answered(&parts, sent_at);
                Ok(parts)
            }
            Err(misfit) => {
                self.spent.usage += misfit.usage;
                let fault = self.api.unreadable_fault(&misfit.reason);
                Err(Setback::Passing(RetryReason::Unreadable, fault))
            }
        }
    }

    /// Returns the body in the wire format.
    fn request_body(&self) -> Vec<u8> {
        let capabilities = self.api.current_capabilities();
        let options = Options {
            model: &self.api.address.model,
            effort: self.api.effort,
            temperature: self.api.temperature,
            capabilities: &capabilities,
        };
        (self.api.address.wire.encode)(self.request, &options).to_string().into_bytes()
    }

    /// Returns how to go on after a failure of the connection.
    fn no_answer(&self, error: HttpError, timeout: Duration) -> Setback {
        let url = self.api.address.endpoint.display_url();
        match error {
            HttpError::Interrupted => Setback::Final(ProviderFault::Interrupted),
            HttpError::TooLarge(_) => Setback::Final(self.api.unreadable_fault(&error.to_string())),
            HttpError::Request(reason) => Setback::Final(ProviderFault::Setup(reason)),
            HttpError::LeftAlone(reason) => {
                Setback::Final(ProviderFault::Unreachable { url, reason })
            }
            // A server on this machine that does not run does not begin to by itself.
            HttpError::Refused(reason) if self.api.address.endpoint.is_own_machine() => {
                Setback::Passing(RetryReason::Refused, ProviderFault::Unreachable { url, reason })
            }
            HttpError::Connection(reason) | HttpError::Refused(reason) => {
                Setback::Passing(RetryReason::Lost, ProviderFault::Unreachable { url, reason })
            }
            HttpError::Timeout(_) => {
                let seconds = timeout.as_secs();
                self.emit_event(
                    self.build_event(EventName::LlmRequestTimeout).with("seconds", seconds),
                );
                Setback::Passing(RetryReason::TimedOut, ProviderFault::Timeout { url, seconds })
            }
        }
    }

    /// Returns how to go on after a status that is no success.
    fn read_refusal(&self, answer: &HttpResponse) -> Setback {
        let message = complaint::of_body(&answer.body);
        let fault = self.api.refused_fault(answer.status, &message);
        match answer.status {
            400 | 404 | 422 => match self.api.learn_from(&message) {
                Some(feature) => Setback::Without(feature, message),
                None => Setback::Final(fault),
            },
            // An empty account is reported as too many requests; waiting does not fill it.
            429 if complaint::error_code(&answer.body).as_deref() == Some("insufficient_quota") => {
                Setback::Final(fault)
            }
            408 | 429 | 500 | 502 | 503 | 504 | 529 => {
                let now = self.api.clock.timestamp();
                let header = answer.header("retry-after");
                let retry_after = header.and_then(|header| retry_after(header, &now));
                let retry_after = retry_after.or_else(|| complaint::retry_delay(&answer.body));
                Setback::Passing(RetryReason::Busy { retry_after }, fault)
            }
            _ => Setback::Final(fault),
        }
    }

    /// Waits before the next try; fails if the patience or the time is used up.
    fn pause_or_fail(
        &mut self,
        trouble: RetryReason,
        fault: ProviderFault,
    ) -> Result<(), ProviderFault> {
        let wait = match self.patience.decide(trouble, self.time_left()) {
            Decision::Again(wait) => wait,
            Decision::GiveUp(why) => return Err(add_explanation(fault, why)),
        };
        let ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let event = self.build_event(EventName::LlmRequestRetry);
        self.emit_event(event.with("wait_ms", ms).with("reason", fault.to_string()));
        if self.api.clock.sleep(wait) { Ok(()) } else { Err(ProviderFault::Interrupted) }
    }

    /// Returns an event with the provider and the model.
    fn build_event(&self, name: EventName) -> Event {
        Event::new(name)
            .with("provider", self.api.address.name)
            .with("model", self.api.address.model.as_str())
    }

    fn emit_event(&self, event: Event) {
        self.call.events.emit(event);
    }

    /// Reports a request that was sent.
    fn emit_sent(&self) {
        let event = Event::new(EventName::LlmRequestSent)
            .with("model", self.api.address.model.as_str())
            .with("schema_version", self.request.version.number())
            .with("provider", self.api.address.name)
            .with("token_budget", self.request.max_output_tokens)
            .with("input_chars", self.request.input_chars());
        self.emit_event(event);
    }

    /// Reports an answer with its tokens and its time since `sent_at`, in milliseconds.
    fn tell_answered(&self, parts: &Parts, sent_at: Duration) {
        let ms = self.api.clock.elapsed().saturating_sub(sent_at).as_millis();
        let event = self
            .build_event(EventName::LlmResponseOk)
            .with("input_tokens", parts.usage.input)
            .with("output_tokens", parts.usage.output)
            .with("cached_tokens", parts.usage.cached)
            .with("ms", Value::from(u64::try_from(ms).unwrap_or(u64::MAX)));
        self.emit_event(event);
    }

    /// Reports that a feature is no longer sent, with the server's complaint.
    fn tell_dropped(&self, feature: Feature, message: &str) {
        let event = match feature {
            Feature::StructuredOutput => self.build_event(EventName::LlmResponseFormatFallback),
            _ => self.build_event(EventName::LlmParameterDropped).with("parameter", feature.name()),
        };
        self.emit_event(event.with("reason", self.api.clean_message(message)));
    }
}

/// Adds to the last fault why there was no further try.
fn add_explanation(mut fault: ProviderFault, why: Option<String>) -> ProviderFault {
    let Some(why) = why else { return fault };
    match &mut fault {
        ProviderFault::Refused { message: text, .. }
        | ProviderFault::Unreachable { reason: text, .. }
        | ProviderFault::Unreadable { reason: text, .. } => {
            text.push_str("; ");
            text.push_str(&why);
        }
        _ => {}
    }
    fault
}
