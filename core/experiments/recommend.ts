import { utcDate } from '#core/time'
import type { ExperimentStatus } from '#schemas/experiments'
import { type Decision, WHOLE_DAYS } from './decide.ts'
import { FEWEST_CONVERSIONS, type PlannedSize } from './plan-size.ts'

/** Exposures that each variant needs before its results mean something. */
export const ENOUGH_EXPOSURES = 100
/** From this probability on, a variant leads. */
const LEADING_PROBABILITY = 0.9

type Facts = {
  counts: readonly { key: string; exposures: number; users: number }[]
  probabilities: readonly number[]
  plan: PlannedSize
  decision: Decision
  status: ExperimentStatus
}

/** Says where the experiment stands, and what the decision means for the reader. */
export function recommend(facts: Facts): string {
  return `${standing(facts)} ${advice(facts)}`
}

/** The rule of U86 with the numbers of an experiment. `probability`: that of its decision interval. */
export function ruleText({ size, effect }: PlannedSize, probability: number): string {
  const users = size === null ? 'the planned size' : `${grouped(size)} users (the planned size)`
  const small = effect === null ? 'the smallest effect' : percent(effect)
  return `Ship a variant when three things hold: its interval of ${percent(probability)} excludes zero, ${WHOLE_DAYS} whole days have passed since the first exposure, and every variant has ${users}. When the last two hold and no variant can be better by ${small}, the result is: no difference.`
}

function standing({ counts, probabilities }: Facts): string {
  const few = counts.filter(({ exposures }) => exposures < ENOUGH_EXPOSURES)
  if (few.length > 0) {
    const shown = few.map(({ key, exposures }) => `\`${key}\` has ${exposures}`).join(', ')
    return `More data is needed: every variant needs at least ${ENOUGH_EXPOSURES} exposures, and ${shown}.`
  }
  const highest = Math.max(...probabilities)
  const key = counts[probabilities.indexOf(highest)]?.key
  const probability = highest.toFixed(3)
  return highest < LEADING_PROBABILITY
    ? `There is no clear leader yet: \`${key}\` is the best one with a probability of ${probability}, and a leader needs ${LEADING_PROBABILITY}.`
    : `Variant \`${key}\` leads: it is the best one with a probability of ${probability}.`
}

function advice({ counts, plan, decision, status }: Facts): string {
  switch (decision.kind) {
    case 'check_assignment': {
      const { key, users, expected } = decision.misfit
      return `Trust no result: the users do not fit the weights, \`${key}\` has ${grouped(users)} and should have about ${grouped(Math.round(expected))}. Check how variants are assigned and whether every exposure is sent, then begin a new experiment.`
    }
    case 'ship':
      return `Ship \`${decision.key}\`: its decision interval excludes zero, and the planned size and ${WHOLE_DAYS} whole days are reached.`
    case 'no difference':
      return `No variant is better by ${percent(plan.effect ?? 0)}. Keep the one that costs least.`
    case 'undecided':
      return 'The experiment was completed before the rule could decide. Create a new experiment to test again.'
    case 'keep_running': {
      if (status === 'paused')
        return `Resume it to get a decision: ${reasonToWait(decision, { counts, plan })}.`
      const until = decision.decidesAt === null ? '' : ` until about ${utcDate(decision.decidesAt)}`
      return `Keep it running${until}: ${reasonToWait(decision, { counts, plan })}.`
    }
  }
}

function reasonToWait(
  { waitsFor, decidesAt }: Extract<Decision, { kind: 'keep_running' }>,
  { counts, plan }: Pick<Facts, 'counts' | 'plan'>,
): string {
  const fewest = counts.reduce((least, each) => (each.users < least.users ? each : least))
  if (waitsFor === 'users') return `nobody has seen \`${fewest.key}\` yet`
  if (waitsFor === 'conversions') {
    return `the planned size is known from ${FEWEST_CONVERSIONS} conversions on`
  }
  if (waitsFor === 'evidence') return 'the decision interval still leaves open which variant is better'
  const size = plan.size ?? 0
  if (fewest.users >= size) {
    return `the planned size is reached, and ${WHOLE_DAYS} whole days are needed`
  }
  const needed = `every variant needs ${grouped(size)} users and ${WHOLE_DAYS} whole days, and \`${fewest.key}\` has ${grouped(fewest.users)} users`
  return decidesAt === null
    ? `${needed}. At this pace that takes over a year, so a new experiment with a larger \`smallest_effect\` is better`
    : needed
}

/** Whole numbers with commas, whatever the language of the machine is. */
function grouped(value: number): string {
  return value.toLocaleString('en-US')
}

/** 0.997 as `99.7 %`, and 0.9985 as `99.85 %`. An effect is rounded before, as the plan shows it. */
function percent(part: number): string {
  return `${Number((part * 100).toFixed(2))} %`
}
