//! What a tenant may change about tools: lower ceilings, and do without a tool. Nothing here can loosen.

use std::collections::BTreeMap;

use countersign_kernel::expr::{Scope, Type};
use countersign_kernel::policy::{Precondition, SpendLimit, Tool};
use countersign_kernel::reason::Reason;

use crate::lower::Lowerer;
use crate::raw::Text;
use crate::source::hash_text;

impl Lowerer<'_, '_> {
    /// A tenant may add ceilings and lower them, never lift one.
    pub(super) fn overlay_spend(&mut self, tools: &mut BTreeMap<String, Tool>) {
        let Some(tenant) = &self.raw.tenant else { return };
        let file = self.overlay.clone();
        for (name, limits) in tenant.spend.iter() {
            if !self.known("pack/unknown_tool", "tool", &file, name, tools.keys().map(String::as_str)) {
                continue;
            }
            for written in limits.iter() {
                let Some(limit) = self.spend(&file, written) else { continue };
                let Some(tool) = tools.get_mut(&name.value) else { continue };
                let same = |old: &&mut SpendLimit| old.scope == limit.scope && old.window_s == limit.window_s;
                match tool.spend.iter_mut().find(same) {
                    Some(old) if limit.max.minor > old.max.minor => {
                        let message = "a tenant may lower a ceiling, not lift it";
                        let help = format!("the pack's is {}", old.max.major());
                        self.notes.error("pack/tenant_loosens", (&file, written.max.span), message, help);
                    }
                    Some(old) => *old = limit,
                    None => tool.spend.push(limit),
                }
            }
        }
    }

    /// A tool that is off stays in the set, so that journeys still stand, and is refused on every call.
    pub(super) fn switch_off(&mut self, tools: &mut BTreeMap<String, Tool>) {
        let Some(tenant) = &self.raw.tenant else { return };
        let file = self.overlay.clone();
        for name in tenant.tools_off.iter() {
            if !self.known("pack/unknown_tool", "tool", &file, name, tools.keys().map(String::as_str)) {
                continue;
            }
            let never = Text { value: "false".to_owned(), span: name.span };
            let check = self.expr(&file, &never, &Scope::new(), &Type::Bool);
            if let (Some(check), Some(tool)) = (check, tools.get_mut(&name.value)) {
                tool.preconditions.insert(0, Precondition { check, reason: Reason::ToolNotAllowedHere });
                tool.hash = hash_text(&[&tool.hash, "off"]);
            }
        }
    }
}
