//! The kernel from outside: every case goes through `step` or `review`, with a hand-built policy and a world in memory.

#[cfg(test)]
mod bench_pack;
#[cfg(test)]
mod script;

#[cfg(test)]
mod act;
#[cfg(test)]
mod confirm;
#[cfg(test)]
mod hear;
#[cfg(test)]
mod journeys;
#[cfg(test)]
mod moves;
#[cfg(test)]
mod result;
#[cfg(test)]
mod review;
#[cfg(test)]
mod routing;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod speak;
#[cfg(test)]
mod totality;
#[cfg(test)]
mod trace;
