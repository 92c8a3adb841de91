import { useState } from 'preact/hooks'
import { go, hrefTo } from '#dashboard/navigate'
import { titleOf } from '#dashboard/project-names'
import { lastProject } from '#dashboard/remembered'
import { canSignOut } from '#dashboard/session'
import { readShared } from '#dashboard/shared'
import { shownViews } from '#dashboard/shown-views'
import { type Address, DEFAULTS } from '#dashboard/url'
import { GROUPS, type ViewRow } from '#dashboard/views'

type Props = {
  address: Address
  projects: readonly { name: string }[]
  openPalette(): void
  openKeys(): void
  signOut(): void
}

/** The address of a view of the same project, with the range and filters of now. */
export function addressOfView(address: Address, row: Pick<ViewRow, 'name' | 'of'>): Address {
  const project = row.of === 'project' ? (address.project ?? lastProject()) : null
  const shared = { ...address, view: row.name, own: DEFAULTS.own }
  return row.of === 'project'
    ? { ...shared, project: address.area === 'account' ? project : null }
    : { ...shared, project, filters: [], audience: 'people' }
}

/** Where the name of the service leads: to the first view of the area. */
export function homeOf(address: Address): string {
  if (address.area !== 'share') return address.area === 'demo' ? '/app/demo' : '/app'
  return hrefTo({ ...address, view: shownViews(address)[0]?.name ?? 'overview', ...DEFAULTS })
}

/** The list of views, and the switch of projects. On a phone it folds behind a button. */
export function Navigation({ address, projects, openPalette, openKeys, signOut }: Props) {
  const { area, project, view } = address
  const [isOpen, setOpen] = useState(false)
  const chosen = project ?? lastProject() ?? projects[0]?.name ?? null
  const isOne = area !== 'account'
  const shown = shownViews(address).filter(({ group }) => group !== null)
  const within = project === null && !isOne ? { ...address, project: chosen } : address
  const select = (name: string) =>
    go(
      name === ''
        ? addressOfView(address, { name: 'sites', of: 'sites' })
        : { ...address, project: name, view: project === null ? 'overview' : view, filters: [], own: {} },
    )
  return (
    <header class={isOpen ? 'side open' : 'side'}>
      <div class="brand">
        <a class="name" href={homeOf(address)}>
          <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
            <rect x="2" y="11" width="4" height="7" rx="1" />
            <rect x="8" y="6" width="4" height="12" rx="1" />
            <rect x="14" y="2" width="4" height="16" rx="1" />
          </svg>
          Footfall
        </a>
        <button
          type="button"
          class="menu"
          aria-expanded={isOpen}
          aria-controls="views"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
      </div>
      {!isOne && (
        <label class="switcher">
          <span class="hidden">Project</span>
          <select value={project ?? ''} onChange={event => select(event.currentTarget.value)}>
            <option value="">All sites</option>
            {projects.map(({ name }) => (
              <option key={name} value={name}>
                {titleOf(name)}
              </option>
            ))}
            {project !== null && !projects.some(({ name }) => name === project) && (
              <option value={project}>{project}</option>
            )}
          </select>
        </label>
      )}
      {area === 'demo' && <p class="demo">Demo with made-up traffic</p>}
      {area === 'share' && (
        <p class="demo">
          <strong>{readShared()?.title}</strong>, shared by its owner
        </p>
      )}
      <nav id="views" aria-label="Views" onClick={() => setOpen(false)}>
        <button type="button" class="search" onClick={openPalette}>
          Jump to … <kbd>⌘K</kbd>
        </button>
        {GROUPS.map(group => {
          const rows = shown.filter(
            each => each.group === group && (each.of === 'sites' || isOne || chosen !== null),
          )
          if (rows.length === 0) return null
          return (
            <div key={group}>
              <h2>{group}</h2>
              <ul>
                {rows.map(row => (
                  <li key={row.name}>
                    <a
                      href={hrefTo(addressOfView(within, row))}
                      aria-current={
                        row.name === view && (row.of === 'sites') === (project === null && !isOne)
                          ? 'page'
                          : undefined
                      }
                    >
                      {row.title}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          )
        })}
        <div class="last">
          {area === 'demo' && <a href="/auth/sign-in">Sign in</a>}
          <button type="button" class="link" onClick={openKeys}>
            Keys <kbd>?</kbd>
          </button>
          {canSignOut() && (
            <button type="button" class="link" onClick={signOut}>
              Sign out
            </button>
          )}
        </div>
      </nav>
    </header>
  )
}
