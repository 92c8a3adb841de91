import type { ExperimentStore } from '#core/experiments/store'
import type { RecordedEvent } from '#core/ingest/record'
import type { Project } from '#core/projects/project'
import { DAY_MS } from '#core/time'
import { bucketOf, chooseVariant, splitEqually } from '#schemas/assignment'
import { EXPOSURE_EVENT } from '#schemas/experiments'

/** The demo traffic and its experiment go back so far. */
export const DEMO_DAYS = 30

const CONTROL = 'control'
/** Clients know the id (docs/api/agent-sessions.md). */
const EXPERIMENT = {
  id: 'exp_demo_signup_cta',
  name: 'signup_cta',
  variants: splitEqually([CONTROL, 'start_free']),
  goal_event: 'signup',
  // Its traffic of 30 days has about 375 users of each variant, so the demo shows a decision.
  planned_size: 300,
}
/** The page with the text that is tested. */
const PAGE = '/pricing'
/**
 * This percentage of the control group only starts to sign up. The ids of the events contain the time of the
 * filling, so a choice by them would give each install another result.
 */
const NOT_FINISHING = 25

/**
 * Creates the experiment of the demo project, where it is missing. `end`: the end of the demo traffic, Unix
 * ms.
 */
export function ensureDemoExperiment(
  experiments: Pick<ExperimentStore, 'ensure'>,
  project: Pick<Project, 'id' | 'account_id'>,
  end: number,
): Promise<void> {
  return experiments.ensure(project, { ...EXPERIMENT, createdAt: end - DEMO_DAYS * DAY_MS })
}

/**
 * Returns demo events as they are with the experiment: every view of the page with the tested text is an
 * exposure, and some users of the control group do not finish their sign-up. The same events give the same
 * result.
 */
export function withExperiment(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.flatMap(event => {
    const variant = chooseVariant(EXPERIMENT.variants, bucketOf(EXPERIMENT.name, event.user_id ?? ''))
    if (event.event === 'page_view' && event.properties?.path === PAGE) {
      return [event, exposureOf(event, variant)]
    }
    const isUnfinished =
      event.event === EXPERIMENT.goal_event &&
      variant === CONTROL &&
      bucketOf(EXPERIMENT.goal_event, event.user_id ?? '') < NOT_FINISHING
    return [isUnfinished ? { ...event, event: 'signup_started' } : event]
  })
}

function exposureOf(view: RecordedEvent, variant: string | null): RecordedEvent {
  return {
    ...view,
    event: EXPOSURE_EVENT,
    properties: { ...view.properties, experiment: EXPERIMENT.name, variant },
    event_id: view.event_id === null ? null : `${view.event_id}-exposure`,
  }
}
