//! Simulations in a worker of their own: requests of one device under settings, one order of addresses after the other.

use serde::{Deserialize, Serialize};
use vramscope_core::allocator::Config;
use vramscope_core::replay::requests::Requests;
use vramscope_simulate::{Curve, LimitSearch, Simulated, Simulation, wire};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::fault::{internal, json, request};

/// Requests, and what was begun with them here.
#[wasm_bindgen]
pub struct Simulator {
    requests: Requests,
    begun: Vec<(u32, Task)>,
    /// The one that goes on with the next step.
    current: usize,
}

enum Task {
    /// What settings come to, in all orders of addresses.
    Run(Simulation),
    /// The smallest limit that would do.
    Limit(LimitSearch),
}

/// What is to be done.
#[derive(Deserialize)]
struct Job {
    id: u32,
    kind: Kind,
    /// As in `PYTORCH_ALLOC_CONF`.
    settings: String,
    limit_bytes: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Run,
    Limit,
}

/// How far it has come.
#[derive(Default, Serialize)]
struct Step<'a> {
    /// An order of addresses, or all of it, came to its end.
    ended: bool,
    /// The share of all that is done.
    progress: f64,
    /// Orders done, and all.
    orders: (u32, u32),
    found: Option<Simulated>,
    /// Once, when the first order has ended.
    curve: Option<&'a Curve>,
    /// The smallest limit that would do.
    limit_bytes: Option<u64>,
}

#[wasm_bindgen]
impl Simulator {
    /// Takes the requests as `Session::take` gives them.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8]) -> Result<Simulator, JsValue> {
        let requests = wire::from_bytes(bytes).ok_or_else(|| internal("The requests cannot be read."))?;
        Ok(Simulator { requests, begun: Vec::new(), current: 0 })
    }

    /// Begins a job, or goes on with the one of this id: JSON `{"id","kind":"run"|"limit","settings","limit_bytes"}`.
    pub fn begin(&mut self, job: &str) -> Result<(), JsValue> {
        let job: Job = request(job)?;
        let known = self.begun.iter().position(|(id, _)| *id == job.id);
        self.current = known.unwrap_or(self.begun.len());
        if known.is_none() {
            let config = Config::parse(&job.settings).map_err(|error| internal(&error.to_string()))?;
            let config = Config { limit_bytes: job.limit_bytes, ..config };
            let task = match job.kind {
                Kind::Run => Task::Run(Simulation::new(&self.requests, config)),
                Kind::Limit => Task::Limit(LimitSearch::new(&config)),
            };
            self.begun.push((job.id, task));
        }
        Ok(())
    }

    /// Takes about so many steps, and ends with an order of addresses: JSON `{"ended","progress","orders":[done,all],"found","curve","limit_bytes"}`.
    /// A job that ends without any order done cannot be run: what was there before the first event contradicts itself.
    pub fn step(&mut self, steps: u32) -> Result<String, JsValue> {
        let Some((_, task)) = self.begun.get_mut(self.current) else {
            return Err(internal("Nothing was begun."));
        };
        match task {
            Task::Limit(search) => {
                let ended = search.run(&self.requests, steps as usize);
                json(&Step {
                    ended,
                    progress: search.progress(),
                    limit_bytes: search.found(),
                    ..Step::default()
                })
            }
            Task::Run(simulation) => {
                let (before, _) = simulation.orders();
                let ended = simulation.run(&self.requests, steps as usize) || simulation.orders().0 > before;
                let orders = simulation.orders();
                json(&Step {
                    ended,
                    progress: simulation.progress(&self.requests),
                    orders,
                    found: simulation.found(&self.requests),
                    curve: simulation.curve().filter(|_| ended && orders.0 == 1),
                    limit_bytes: None,
                })
            }
        }
    }
}
