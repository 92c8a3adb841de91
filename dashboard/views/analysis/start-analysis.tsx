import { useState } from 'preact/hooks'
import { call } from '#dashboard/api'
import { go } from '#dashboard/navigate'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { rememberAnalysis } from '#dashboard/remembered'
import { isPublicSite } from '#dashboard/site-address'
import { type Address, ownValue, withOwn } from '#dashboard/url'

type Props = { address: Address; project: string /** As the project has them. */; origins: string }

/** Longest `focus` of a request, characters. */
const MAX_FOCUS_CHARS = 200

/** The form of a full analysis. The service answers when it is done, or after a minute. */
export function StartAnalysis({ address, project, origins }: Props) {
  const act = useAct()
  const [url, setUrl] = useState(origins.split(',').find(isPublicSite) ?? '')
  const [focus, setFocus] = useState(ownValue(address, 'focus') ?? '')
  const start = async (event: Event) => {
    event.preventDefault()
    const wanted = focus.trim()
    const scan = await act.run(
      call('POST /cli/website-scans', { url, project, full: true, ...(wanted !== '' && { focus: wanted }) }),
      '/website-scans',
    )
    if (scan === null) return
    rememberAnalysis(project, scan.analysis_id)
    go(withOwn(address, { scan: [scan.analysis_id], new: [], focus: [] }))
  }
  return (
    <Panel title="Analyse the website">
      <p class="lead">
        The service reads up to 26 pages and says which few events are worth tracking first, where they go,
        and what they answer. It changes nothing on the site.
      </p>
      <form class="form start-analysis" onSubmit={start}>
        <label>
          Address of the website
          <input
            value={url}
            required
            inputMode="url"
            autocomplete="url"
            placeholder="www.shop.example"
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
          />
          <small>
            It must be one of the origins of the project, and public: a host name of the internet, without a
            port.
          </small>
        </label>
        <label>
          What you want to reach
          <input
            value={focus}
            maxLength={MAX_FOCUS_CHARS}
            placeholder="More people who book a demo"
            onInput={({ currentTarget }) => setFocus(currentTarget.value)}
          />
          <small>In your words. Its events come first.</small>
        </label>
        <FailureNote act={act} />
        <button type="submit" class="primary" disabled={act.isBusy}>
          {act.isBusy ? 'Reading the pages …' : 'Analyse'}
        </button>
      </form>
    </Panel>
  )
}
