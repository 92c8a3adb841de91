import { useState } from 'preact/hooks'
import { call } from '#dashboard/api'
import { go, hrefTo } from '#dashboard/navigate'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { FirstEvent } from '#dashboard/parts/first-event.tsx'
import { lettersOf } from '#dashboard/parts/letters'
import { Panel } from '#dashboard/parts/panel.tsx'
import { typedOrigins } from '#dashboard/site-address'
import { type Address, withOwn } from '#dashboard/url'

/**
 * Creates a project from the address of a site. The next address shows the snippet and waits for an event.
 */
export function NewSite({ address, isFirst }: { address: Address; isFirst: boolean }) {
  const act = useAct()
  const [site, setSite] = useState('')
  /** Null: as the address of the site says. */
  const [typed, setTyped] = useState<string | null>(null)
  const name = typed ?? nameOf(site)
  const create = async (event: Event) => {
    event.preventDefault()
    const origins = typedOrigins(site)
    const created = await act.run(
      call('POST /projects', { name, ...(origins !== '' && { allowed_origins: origins }) }),
      '/projects',
      '/account/all-sites',
    )
    if (created !== null) go(withOwn(address, { new: [], started: [created.name] }))
  }
  return (
    <Panel title={isFirst ? 'Your first site' : 'New site'} wide>
      <form class="form new-site" onSubmit={create}>
        <label>
          Address of the site
          <input
            value={site}
            placeholder="shop.example"
            inputMode="url"
            autocomplete="url"
            onInput={event => setSite(event.currentTarget.value)}
          />
          <small>Only its pages may then send events. Empty: pages of every address may.</small>
        </label>
        <label>
          Name of the project
          <input
            value={name}
            required
            {...lettersOf('project', 'Name of the project')}
            autocomplete="off"
            onInput={event => setTyped(event.currentTarget.value)}
          />
          <small>Letters from A to Z, digits, dots, dashes and _. It stays after the first event.</small>
        </label>
        <FailureNote act={act} />
        <button type="submit" class="primary" disabled={act.isBusy}>
          Create the project
        </button>
      </form>
    </Panel>
  )
}

/** A project that was created just now. */
export function StartedSite({ address, name }: { address: Address; name: string }) {
  const overview: Address = { ...address, project: name, view: 'overview', own: {} }
  return (
    <FirstEvent
      project={name}
      next={
        <a class="primary" href={hrefTo(overview)}>
          Open the overview of {name}
        </a>
      }
    />
  )
}

/** The host of an address, without `www`, as the name of a project. */
export function nameOf(site: string): string {
  return site
    .trim()
    .replace(/^\w+:\/\//, '')
    .replace(/[/?#:,].*/s, '')
    .replace(/^www\./i, '')
    .replace(/[^A-Za-z0-9._-]/g, '')
    .slice(0, 64)
    .toLowerCase()
}
