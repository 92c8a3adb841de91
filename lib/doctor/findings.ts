import { type Check, type Finding, good, runChecks } from '#schemas/findings'
import { type Answer, jsonOf, shown } from './caller.ts'
import type { StackFacts } from './facts.ts'
import type { Asked, Trial } from './trial.ts'

/** Enough for the default of four workers, ten open streams and some hundred requests a second. */
const ENOUGH_EXECUTIONS = 100
/** What a report may take on an idle service. More: Athena plans too many partitions. */
const SLOW_STATS_MS = 5_000
/** From the request with an event to the live answer that shows it. */
const SLOW_LIVE_MS = 5_000
/** Failed reads and statements that are shown. */
const MOST_SHOWN = 5

const GRANT =
  'A right is missing: look whether Lake Formation controls the database (docs/aws.md, Lake Formation).'

/** Each check by its name, in the order in which they are told. */
const checks: Readonly<Record<string, Check<StackFacts>>> = {
  stack: ({ name, stack }) =>
    good(`${name} in ${stack.region}: ${stack.baseUrl}, workgroup ${stack.workGroup}.`),

  quotas({ executions }) {
    if (executions === null) return cannotLook('lambda:GetAccountSettings')
    return executions < ENOUGH_EXECUTIONS
      ? {
          level: 'note',
          text: `The account has ${executions} concurrent executions, so none can be reserved for ingestion.`,
          action: 'Raise the quota L-B99A9384 of Lambda, and deploy again: docs/aws.md, First deployment.',
        }
      : good(`The account has ${executions} concurrent executions.`)
  },

  alarms({ stack, subscriptions }) {
    if (stack.alarmTopics.length === 0)
      return {
        level: 'problem',
        text: 'Nobody gets the alarms: they name no topic.',
        action: 'Set the option alarmEmail or alarmTopicArn, and deploy.',
      }
    if (subscriptions === null) return cannotLook('sns:ListSubscriptionsByTopic')
    const confirmed = subscriptions.filter(({ isConfirmed }) => isConfirmed).length
    return confirmed === 0
      ? {
          level: 'problem',
          text: `Nobody gets the alarms: of ${subscriptions.length} addresses none has confirmed its subscription.`,
          action:
            'Open the mail of AWS, and follow its link. If it has expired, subscribe again in the console of SNS.',
        }
      : good(`${confirmed} of ${subscriptions.length} addresses get the alarms.`)
  },

  health({ answers: { health } }) {
    if (health.status === 0) return notReached('The service', health)
    return health.status === 200
      ? good('GET /health is 200.')
      : {
          level: 'problem',
          text: `GET /health is answered with ${shown(health)}.`,
          action: 'Look at the log of the function site.',
        }
  },

  edge({ answers: { pastEdge } }) {
    if (pastEdge === null) return good('There is no CloudFront: the address is that of the API.')
    if (pastEdge.status === 0) return notReached('The API', pastEdge)
    return isRefusal(pastEdge, 403, 'FORBIDDEN')
      ? good('Nobody reaches the API past CloudFront.')
      : {
          level: 'problem',
          text: `The API answers past CloudFront with ${shown(pastEdge)}, not with 403.`,
          action: 'Report it: anybody may then walk around a web ACL and choose the country.',
        }
  },

  unknown_paths: ifReached('nothing', nothing =>
    isRefusal(nothing, 404, 'NOT_FOUND')
      ? good('An unknown path is 404 in JSON.')
      : {
          level: 'problem',
          text: `An unknown path is answered with ${shown(nothing)}, not with 404.`,
          action: 'A 500 means that the gateway has no right to call the function site.',
        },
  ),

  sign_in: ifReached('stranger', stranger => {
    const header = ['www-authenticate', 'x-amzn-remapped-www-authenticate'].find(name =>
      stranger.headers.has(name),
    )
    const hasMetadata = jsonOf(stranger).resource_metadata !== undefined
    return stranger.status === 401 && hasMetadata && header !== undefined
      ? good(`Agents find the sign-in: in the body, and in the header ${header}.`)
      : {
          level: 'problem',
          text: `A call without credentials gets ${shown(stranger)}${header === undefined ? ', without a header that names the sign-in' : ''}.`,
          action: 'Report it: agents do not find the sign-in.',
        }
  }),

  not_utf8: ifReached('notUtf8', notUtf8 =>
    isRefusal(notUtf8, 400, 'INVALID_BODY')
      ? good('Bytes that are not UTF-8 are refused (R3).')
      : {
          level: 'problem',
          text: `Bytes that are not UTF-8 are answered with ${shown(notUtf8)}.`,
          action: 'Report it: the API decodes text before the function gets it.',
        },
  ),

  rights({ logs }) {
    if (logs === null) return cannotLook('logs:FilterLogEvents')
    return logs.denied.length === 0
      ? good('No function was denied anything in the last day.')
      : { level: 'problem', text: some(logs.denied), action: GRANT }
  },

  statements({ explained }) {
    if (explained === null) return null
    const { count, failures } = explained
    return failures.length === 0
      ? good(`Athena plans all ${count} recorded statements.`)
      : {
          level: 'problem',
          text: `Athena cannot plan ${failures.length} of ${count} statements. ${some(failures)}`,
          action: GRANT,
        }
  },

  trial({ trial }) {
    if (trial === null)
      return {
        level: 'note',
        text: 'No event was sent, because there is no API key.',
        action: 'Set FOOTFALL_API_KEY to a key of the owner, and run the doctor again.',
      }
    if (trial.failure !== null)
      return {
        level: 'problem',
        text: trial.failure,
        action: 'Look at the logs of track, lake and reports: docs/alarms.md, Log codes.',
      }
    return trial.isDeleted
      ? good('A project was made, used and deleted.')
      : {
          level: 'note',
          text: `The project ${trial.project} of this trial is still there.`,
          action: 'Delete it.',
        }
  },

  live: ofTrial(({ liveMs }) =>
    liveMs === null || liveMs > SLOW_LIVE_MS
      ? {
          level: 'problem',
          text: liveMs === null ? 'GET /live did not show the events.' : `GET /live took ${seconds(liveMs)}.`,
          action: 'Look at the log of the function live, and at the alarm LiveAge.',
        }
      : good(`GET /live showed the events after ${seconds(liveMs)}.`),
  ),

  stream: ofTrial(({ streamProblem }) =>
    streamProblem === null
      ? good('GET /stream showed an event, or the stack has none.')
      : {
          level: 'problem',
          text: `GET /stream did not show an event: ${streamProblem}.`,
          action: 'A 403 means that CloudFront does not send its header to the function.',
        },
  ),

  events: ofTrial(({ readMs }) => good(`Reports had the events after ${seconds(readMs ?? 0)}.`)),

  country: ofTrial(({ country }, { stack }) => {
    if (country !== null) return good(`The events are from ${country}.`)
    return stack.apiUrl === null
      ? good('The events have no country, because there is no CloudFront.')
      : {
          level: 'problem',
          text: 'The events have no country.',
          action: 'Report it: CloudFront does not send the country of the viewer.',
        }
  }),

  headers: ofTrial(({ missingHeaders }) =>
    missingHeaders.length === 0
      ? good('Browsers get their headers, also from the cache.')
      : {
          level: 'problem',
          text: `Headers are missing in two answers of GET /experiments/config: ${missingHeaders.join(', ')}.`,
          action: 'Report it: pages of other sites cannot read the answer.',
        },
  ),

  reports: ofTrial(({ questions }) => judgeAsked(questions, 'before the compaction')),

  speed: ofTrial(({ secondStatsMs }) =>
    (secondStatsMs ?? 0) > SLOW_STATS_MS
      ? {
          level: 'note',
          text: `A second GET /stats took ${seconds(secondStatsMs ?? 0)}.`,
          action: 'Look at QueryPlanningTimeInMillis of its statements: docs/aws.md, First deployment.',
        }
      : good(`A second GET /stats took ${seconds(secondStatsMs ?? 0)}.`),
  ),

  compaction: ofTrial(({ compaction, readMs }) => {
    if (compaction === null)
      return {
        level: 'note',
        text: 'The compaction was not waited for.',
        action: 'Run the doctor with --wait 45.',
      }
    const { afterMs, events } = compaction
    if (afterMs === null)
      return {
        level: 'problem',
        text: 'The events are not in a segment yet.',
        action: 'Look at the logs of scheduler and jobs, and at the alarm CompactionLag.',
      }
    return good(
      `A segment had all ${events} events ${seconds(afterMs - (readMs ?? 0))} after reports had them.`,
    )
  }),

  reports_later: ofTrial(({ compaction }) =>
    compaction?.questions == null ? null : judgeAsked(compaction.questions, 'after the compaction'),
  ),

  merges({ logs }) {
    if (logs === null || logs.merges > 0) return logs && good('Segments were merged in the last day.')
    return {
      level: 'note',
      text: 'No segments were merged in the last day.',
      action:
        'Two hours after eight epochs had events, run the doctor again. With logLevel WARN it cannot see merges.',
    }
  },

  erasure: ofTrial(({ erasure }) => {
    if (erasure === null) return null
    return erasure.problem === null
      ? good(
          `An erased person was hidden at once; GET /erasures/${erasure.id} says when the files have lost them.`,
        )
      : { level: 'problem', text: erasure.problem, action: 'Report it.' }
  }),
}

/** Judges the facts. */
export function stackFindings(facts: StackFacts): Finding[] {
  return runChecks(checks, facts)
}

/** A check of a trial that has run to its end. */
function ofTrial(
  judge: (trial: Trial, facts: StackFacts) => ReturnType<Check<StackFacts>>,
): Check<StackFacts> {
  return facts => (facts.trial === null || facts.trial.failure !== null ? null : judge(facts.trial, facts))
}

function judgeAsked(asked: Asked | null, when: string): ReturnType<Check<StackFacts>> {
  if (asked === null) return null
  const { count, failures } = asked
  return failures.length === 0
    ? good(`All ${count} reads answered ${when}.`)
    : {
        level: 'problem',
        text: `${failures.length} of ${count} reads failed ${when}. ${some(failures)}`,
        action: GRANT,
      }
}

/** A check of an answer to a stranger. It does not apply where nothing answers: `health` says that. */
function ifReached(
  name: 'nothing' | 'stranger' | 'notUtf8',
  judge: (answer: Answer) => ReturnType<Check<StackFacts>>,
): Check<StackFacts> {
  return ({ answers }) => (answers[name].status === 0 ? null : judge(answers[name]))
}

function notReached(what: string, answer: Answer): ReturnType<Check<StackFacts>> {
  return {
    level: 'problem',
    text: `${what} cannot be reached from this machine: ${shown(answer)}.`,
    action: 'Look at the name in DNS, and at the network of this machine.',
  }
}

function isRefusal(answer: Answer, status: number, error: string): boolean {
  return answer.status === status && jsonOf(answer).error === error
}

function cannotLook(right: string): ReturnType<Check<StackFacts>> {
  return {
    level: 'note',
    text: `These credentials have no right ${right}.`,
    action: 'Use those of the deployment.',
  }
}

function some(lines: readonly string[]): string {
  const more = lines.length - MOST_SHOWN
  return `${lines.slice(0, MOST_SHOWN).join(' | ')}${more > 0 ? ` | and ${more} more` : ''}`
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
