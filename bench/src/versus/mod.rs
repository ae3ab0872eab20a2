//! Servers side by side: the same load on each in turn, and two limits measured in the same run.

mod answer;
mod bare;
mod chart;
mod inside;
mod load;
mod report;
mod requests;
mod server;

pub use bare::serve as serve_bare;
pub use inside::{Inside, measure as measure_inside};
pub use load::{Driver, Load};
pub use report::{Report, Stretch};
pub use requests::{CREATE, ITEMS, Op, PARTITIONS, http, puts};
pub use server::{Program, Server};
