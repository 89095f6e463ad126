//! Carries events through `tracing`: a sink that publishes them and a layer that prints them.

use std::fmt;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Dispatch, Subscriber, dispatcher};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use papayu_base::domain::{Event, EventSink};

/// The `tracing` target of every event and span of this crate.
pub const TARGET: &str = "papayu_batch";

/// Publishes events as `tracing` events of level `INFO`.
///
/// A `tracing` event has two fields, because the fields of an event differ by its name: `event` is
/// the name (`LLM_REQUEST_SENT`), `fields` a JSON object. Secrets are not masked here; `fix` masks
/// what it emits, and [`super::Console`] what it prints.
///
/// ```
/// use papayu_system::trace::TracingSink;
///
/// // Install a `tracing` subscriber before this line, and pass the sink to what emits events.
/// let events = TracingSink::new();
/// # let _ = events;
/// ```
#[derive(Clone, Debug)]
pub struct TracingSink {
    dispatch: Dispatch,
}

impl TracingSink {
    /// Returns a sink for the subscriber that is the current one of this thread now.
    pub fn new() -> Self {
        // A scoped subscriber belongs to one thread, but a run emits events from several.
        Self { dispatch: dispatcher::get_default(Dispatch::clone) }
    }
}

impl Default for TracingSink {
    fn default() -> Self {
        Self::new()
    }
}

impl EventSink for TracingSink {
    fn emit(&self, event: Event) {
        let name = event.name.as_str();
        let fields = event.fields.into_iter().map(|(name, value)| (name.to_owned(), value));
        let fields = Value::Object(fields.collect()).to_string();
        dispatcher::with_default(&self.dispatch, || {
            tracing::info!(target: TARGET, event = name, fields = fields.as_str());
        });
    }
}

/// Prints events.
pub trait EventOutput: Send + Sync {
    /// Prints one event with its fields in their order; must not fail.
    fn print_event(&self, name: &str, fields: &Map<String, Value>);
}

impl EventOutput for Box<dyn EventOutput> {
    fn print_event(&self, name: &str, fields: &Map<String, Value>) {
        self.as_ref().print_event(name, fields);
    }
}

/// A layer that hands the events of a [`TracingSink`] to an output and ignores all others.
#[derive(Debug)]
pub struct EventLayer<O> {
    output: O,
}

impl<O: EventOutput> EventLayer<O> {
    /// Returns the layer of an output.
    pub fn new(output: O) -> Self {
        Self { output }
    }
}

impl<S: Subscriber, O: EventOutput + 'static> Layer<S> for EventLayer<O> {
    fn on_event(&self, event: &tracing::Event<'_>, _context: Context<'_, S>) {
        if event.metadata().target() != TARGET {
            return;
        }
        let mut read = PublishedEvent::default();
        event.record(&mut read);
        // Another sender may use the target with fields of its own.
        if let Ok(fields) = serde_json::from_str(&read.fields) {
            self.output.print_event(&read.name, &fields);
        }
    }
}

/// The two fields of a published event.
#[derive(Default)]
struct PublishedEvent {
    name: String,
    fields: String,
}

impl Visit for PublishedEvent {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "event" => value.clone_into(&mut self.name),
            "fields" => value.clone_into(&mut self.fields),
            _ => {}
        }
    }

    fn record_debug(&mut self, _field: &Field, _value: &dyn fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::thread;

    use tracing_subscriber::layer::SubscriberExt as _;
    use tracing_subscriber::registry;

    use super::*;
    use papayu_base::domain::EventName;

    #[derive(Clone, Default)]
    struct Names(Arc<Mutex<Vec<String>>>);

    impl EventOutput for Names {
        fn print_event(&self, name: &str, fields: &Map<String, Value>) {
            self.0.lock().unwrap().push(format!("{name} {fields:?}"));
        }
    }

    #[test]
    fn a_scoped_subscriber_receives_the_events_of_other_threads_and_no_foreign_ones() {
        let names = Names::default();
        let subscriber = registry().with(EventLayer::new(names.clone()));
        let sink = tracing::subscriber::with_default(subscriber, || {
            tracing::info!(event = "FOREIGN", fields = "{}");
            TracingSink::new()
        });
        thread::scope(|scope| {
            scope.spawn(|| sink.emit(Event::new(EventName::RunStarted).with("run_id", "r")));
        });
        let expected = ["RUN_STARTED {\"run_id\": String(\"r\")}"];
        assert_eq!(*names.0.lock().unwrap(), expected);
    }
}
