import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { dateLabel, formatted } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Facts } from '#dashboard/parts/facts.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Code, Num } from '#dashboard/parts/question.tsx'
import { Empty } from '#dashboard/parts/states.tsx'
import type { Address } from '#dashboard/url'
import { type Experiment, intervalText, liftText } from './experiment.ts'
import { ExperimentActions } from './experiment-actions.tsx'
import { Exposures } from './exposures.tsx'
import { LiftChart } from './lift-chart.tsx'
import { Status } from './status.tsx'

type Props = {
  address: Address
  data: Experiment
  answer: Known<Experiment>
  exposures: Known<Answer<'POST /query'>> | undefined
}

/** One experiment: what the results say, with how much certainty, and what can be done. */
export function OneExperiment({ address, data, answer, exposures }: Props) {
  const { name, status, goal_event, winner, started_at, ended_at, results } = data
  const { plan } = results
  const facts: [string, string][] = [
    ['Goal', goal_event],
    ['Began', dayText(started_at)],
    ...(ended_at === null ? [] : ([['Completed', dayText(ended_at)]] as [string, string][])),
    ...(status === 'completed' ? ([['Winner', winner ?? 'none']] as [string, string][]) : []),
    ['First exposure', dayText(plan.first_exposure_at)],
    ['Visitors for each variant', plan.size === null ? 'not known yet' : formatted(plan.size)],
    ['Lift that they show', plan.smallest_effect === null ? '–' : formatted(plan.smallest_effect, 'rate')],
    ...(results.decision === 'keep_running'
      ? ([['Decides about', dayText(plan.decides_at)]] as [string, string][])
      : []),
  ]
  const hasUsers = results.variants.some(({ unique_users }) => unique_users > 0)
  return (
    <>
      <Panel
        title={name}
        actions={
          <>
            <Status status={status} />
            <a class="back" href={hrefTo({ ...address, own: {} })}>
              All experiments
            </a>
          </>
        }
      >
        <p class={`decision ${decisionKind(results.decision)}`}>
          <strong>{decisionWords(results.decision)}</strong> {results.recommendation.replaceAll('`', '')}
        </p>
        <p class="cut">{plan.rule}</p>
        <Facts facts={facts} />
        {address.area === 'account' && <ExperimentActions address={address} experiment={data} />}
      </Panel>
      <Panel title="Results" wide>
        {hasUsers ? (
          <Results data={data} answer={answer} />
        ) : (
          <Empty title="Nobody has seen a variant yet">
            Put the experiment into a page. The first visitor who sees it stands here within seconds.
          </Empty>
        )}
      </Panel>
      {hasUsers && <LiftChart data={data} />}
      {exposures !== undefined && <Exposures address={address} data={data} answer={exposures} />}
      <Panel title="In the page">
        <Code title="HTML">{snippetOf(data)}</Code>
        <p class="cut">
          The element keeps its own text for {data.variants[0]?.key}. The tracker chooses a variant by the id
          of the visitor, who keeps it.
        </p>
      </Panel>
    </>
  )
}

function Results({ data: { variants, winner, results }, answer }: Pick<Props, 'data' | 'answer'>) {
  const weights = new Map(variants.map(({ key, weight }) => [key, weight]))
  return (
    <div class="scroll" role="region" aria-label="Results by variant: the table" tabIndex={0}>
      <table class="data results" aria-label="Results by variant">
        <thead>
          <tr>
            <th scope="col">Variant</th>
            {['Visitors', 'Rate', 'Is best', 'Lift', 'Interval', 'Conversions', 'Exposures', 'Share'].map(
              title => (
                <th key={title} scope="col" class="number">
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {results.variants.map(({ key, exposures, unique_users, conversions, conversion_rate }, i) => (
            <tr key={key}>
              <th scope="row">
                {key}
                {i === 0 && <small>baseline</small>}
                {winner === key && <small>winner</small>}
              </th>
              <Cell name="experiment_users" answer={answer} text={formatted(unique_users)} />
              <Cell name="experiment_rate" answer={answer} text={formatted(conversion_rate, 'rate')} />
              <Cell
                name="probability_best"
                answer={answer}
                text={formatted(results.probability_best[key], 'rate')}
              />
              {i === 0 ? (
                <>
                  <td class="number">–</td>
                  <td class="number">–</td>
                </>
              ) : (
                <>
                  <Cell name="lift" answer={answer} text={liftText(results.lift[key])} />
                  <Cell name="lift" answer={answer} text={intervalText(results.decision_interval[key])} />
                </>
              )}
              <Cell name="experiment_conversions" answer={answer} text={formatted(conversions)} />
              <Cell name="exposures" answer={answer} text={formatted(exposures)} />
              <td class="number">{weights.get(key)} %</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type CellName =
  | 'exposures'
  | 'experiment_users'
  | 'experiment_conversions'
  | 'experiment_rate'
  | 'probability_best'
  | 'lift'

function Cell({ name, answer, text }: { name: CellName; answer: Known; text: string }) {
  return (
    <td class="number">
      <Num name={name} answer={answer} class="inline">
        {text}
      </Num>
    </td>
  )
}

/** The day of an ISO 8601 time. */
function dayText(time: string | null): string {
  return time === null ? '–' : dateLabel(time.slice(0, 10), 'long')
}

/** What the page says first, by the decision. */
const DECISION_WORDS: Record<string, string> = {
  check_assignment: 'Check the assignment.',
  keep_running: 'Keep it running.',
  'no difference': 'No difference.',
  undecided: 'Undecided.',
}

function decisionKind(decision: string): 'ship' | 'same' | 'wait' | 'check' {
  if (decision.startsWith('ship:')) return 'ship'
  if (decision === 'check_assignment') return 'check'
  return decision === 'no difference' ? 'same' : 'wait'
}

function decisionWords(decision: string): string {
  return DECISION_WORDS[decision] ?? `Ship ${decision.slice('ship:'.length)}.`
}

function snippetOf({ name, variants }: Experiment): string {
  const others = variants.slice(1).map(({ key }) => ` data-aa-variant-${key}="the text of ${key}"`)
  return `<a data-aa-experiment="${name}"${others.join('')}>the text of ${variants[0]?.key}</a>`
}
