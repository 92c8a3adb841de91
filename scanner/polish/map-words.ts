import type { ScanResult } from '#schemas/website-scans'

/**
 * Changes the sentences of a result that a text model may word anew: why an event matters, what is not seen
 * today, what an agent can do then, what a funnel decides, and what a test supposes. Calls, hints, events,
 * steps and everything that the hand-off is made of stay as they are.
 */
export function mapWords(result: ScanResult, change: (sentence: string) => string): ScanResult {
  return {
    ...result,
    current_blindspots: result.current_blindspots.map(change),
    minimum_viable_instrumentation: result.minimum_viable_instrumentation.map(each => ({
      ...each,
      why_this_matters_now: change(each.why_this_matters_now),
      current_blindspot: change(each.current_blindspot),
      agent_capability_after_install: change(each.agent_capability_after_install),
    })),
    goal_driven_funnels: result.goal_driven_funnels.map(each => ({
      ...each,
      decision: change(each.decision),
    })),
    suggested_ab_tests: result.suggested_ab_tests.map(each => ({
      ...each,
      hypothesis: change(each.hypothesis),
    })),
  }
}
