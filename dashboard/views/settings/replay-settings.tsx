import { useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { SaveRow, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Code } from '#dashboard/parts/question.tsx'
import { Answered } from '#dashboard/parts/states.tsx'

type Settings = Answer<'GET /replays/settings'>
type Props = { project: string; answer: Known<Settings> }

/** Whether pages are recorded, and what of them. */
export function ReplaySettings({ project, answer }: Props) {
  return (
    <Panel title="Replays">
      <p class="lead">
        Recordings of sessions, with all fields of forms masked. They are off until you turn them on.
      </p>
      <Answered answer={answer}>
        {data => (
          <>
            <ReplayForm key={data.project} project={project} data={data} />
            {data.settings.enabled && (
              <Code title="Below the snippet">{`<script defer src="${location.origin}/replay.js"></script>`}</Code>
            )}
          </>
        )}
      </Answered>
    </Panel>
  )
}

function ReplayForm({ project, data: { settings, limits } }: { project: string; data: Settings }) {
  const act = useAct()
  const [enabled, setEnabled] = useState(settings.enabled)
  const [start, setStart] = useState(settings.recording_start)
  const [maskText, setMaskText] = useState(settings.mask_text)
  const [masked, setMasked] = useState(settings.mask_selectors.join('\n'))
  const [blocked, setBlocked] = useState(settings.block_selectors.join('\n'))
  const [ignored, setIgnored] = useState(settings.ignore_selectors.join('\n'))
  const [isSaved, setSaved] = useState(false)
  const save = async (event: Event) => {
    event.preventDefault()
    const changed = await act.run(
      call('PUT /replays/settings', {
        ...{ project, enabled, recording_start: start, mask_text: maskText },
        mask_selectors: selectorsOf(masked),
        block_selectors: selectorsOf(blocked),
        ignore_selectors: selectorsOf(ignored),
      }),
      '/replays/settings',
    )
    setSaved(changed !== null)
  }
  return (
    <form class="form" onSubmit={save} onInput={() => setSaved(false)}>
      <label class="check">
        <input
          type="checkbox"
          checked={enabled}
          onChange={event => setEnabled(event.currentTarget.checked)}
        />
        Record sessions
      </label>
      <label>
        A recording begins
        <select value={start} onChange={event => setStart(event.currentTarget.value as typeof start)}>
          <option value="after_consent">after consent: the page calls aaReplay.consent()</option>
          <option value="immediate">with the page</option>
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={maskText}
          onChange={event => setMaskText(event.currentTarget.checked)}
        />
        Mask every text of the page
      </label>
      <details>
        <summary>Parts of pages</summary>
        <div class="form">
          <Selectors title="Masked: text as dots" value={masked} set={setMasked} />
          <Selectors title="Blocked: an empty box" value={blocked} set={setBlocked} />
          <Selectors title="Ignored: input is not recorded" value={ignored} set={setIgnored} />
        </div>
      </details>
      <p class="cut">
        A recording lasts at most {Math.round(limits.max_duration_ms / 60_000)} minutes and is kept for{' '}
        {limits.retention_days} days.
      </p>
      <SaveRow act={act} isSaved={isSaved} label="Save the replay settings" />
    </form>
  )
}

function Selectors({ title, value, set }: { title: string; value: string; set(value: string): void }) {
  return (
    <label>
      {title}
      <textarea rows={2} value={value} onInput={event => set(event.currentTarget.value)} />
      <small>One CSS selector on each line.</small>
    </label>
  )
}

function selectorsOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}
