import { useEffect } from 'preact/hooks'
import { type AnswersOf, ask, type Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { go, hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered } from '#dashboard/parts/states.tsx'
import { lastAnalysis } from '#dashboard/remembered'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { Plan } from './plan.tsx'
import { type AnalysisRequests, withForm } from './requests.ts'
import { StartAnalysis } from './start-analysis.tsx'

type Props = ViewContext & { answers: AnswersOf<AnalysisRequests> }
type Scan = Answer<'GET /website-scans/{id}'>
type Arrived = Answer<'POST /website-scans/{id}/verify'>

/** What to measure on the site first, and what of it has arrived. */
export function Analysis({ address, project, answers: { read, scan, arrived } }: Props) {
  const id = ownValue(address, 'scan')
  const isNew = ownValue(address, 'new') !== undefined
  const last = lastAnalysis(project) ?? read.data?.source_scan_id ?? null
  useEffect(() => {
    if (id === undefined && !isNew && last !== null) go(withOwn(address, { scan: [last] }), true)
  }, [id, isNew, last])
  const isGone = scan?.problem?.kind === 'missing'
  const hasForm = isNew || isGone || (id === undefined && last === null)
  return (
    <>
      {hasForm && (
        <Answered answer={read}>
          {data => (
            <StartAnalysis key={project} address={address} project={project} origins={data.allowed_origins} />
          )}
        </Answered>
      )}
      {scan !== undefined && (
        <Answered answer={scan}>
          {data => <Found key={id} address={address} data={data} answer={scan} arrived={arrived} />}
        </Answered>
      )}
    </>
  )
}

/** What a running analysis does. */
const STAGES: Record<string, string> = {
  queued: 'It waits for its turn.',
  fetching: 'Fetching the pages.',
  rendering: 'Rendering pages that need their scripts.',
  reading: 'Reading what visitors can do.',
  writing: 'Writing the plan.',
}
/** How often a running analysis is asked again, ms. */
const LOOK_MS = 2_000

type FoundProps = {
  address: Address
  data: Scan
  answer: Known<Scan>
  arrived: Known<Arrived> | undefined
}

function Found({ address, data, answer, arrived }: FoundProps) {
  const isRunning = data.status === 'pending' || data.status === 'running'
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') ask(answer.call, 0)
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  const result = data.result ?? data.preview
  if (result !== undefined) return <Plan address={address} scan={data} result={result} arrived={arrived} />
  return (
    <Panel title={`Analysis of ${data.hostname}`}>
      {isRunning ? (
        <p role="status">The analysis is running. {STAGES[data.stage]} It takes up to a minute.</p>
      ) : (
        <p role="status">
          The analysis has failed. {data.failure?.message}{' '}
          <a href={hrefTo(withForm(address, ''))}>Start another one</a>
        </p>
      )}
    </Panel>
  )
}
