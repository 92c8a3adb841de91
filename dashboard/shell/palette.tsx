import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { datesLabel } from '#dashboard/format'
import { go } from '#dashboard/navigate'
import { titleOf } from '#dashboard/project-names'
import { hasConditions } from '#dashboard/question'
import { addressOfSaved } from '#dashboard/saved'
import { type Segment, withSegment } from '#dashboard/segments'
import { canSignOut } from '#dashboard/session'
import { hasBots, shownViews } from '#dashboard/shown-views'
import {
  type Address,
  AUDIENCES,
  COMPARISONS,
  FILTER_OPS,
  type Filter,
  type FilterOp,
  parseAddress,
  printAddress,
  RANGE_LABELS,
  withFilter,
} from '#dashboard/url'
import { filterWords, OP_NAMES, segmentTitle } from './filter-words.ts'
import { addressOfView } from './navigation.tsx'
import type { SavedView } from './segment-choice.tsx'
import { AUDIENCE_NAMES, COMPARISON_NAMES, RANGE_NAMES } from './toolbar.tsx'

/** `to`: where an entry leads. Others do something. */
type Item = { title: string; kind: string } & ({ to: Address } | { run(): void })
type Props = {
  address: Address
  projects: readonly { name: string }[]
  savedViews: readonly SavedView[]
  segments: readonly Segment[]
  signOut(): void
  close(): void
}

/** Entries that are shown at once. */
const MAX_SHOWN = 12

/** Jumps to a view, a project, a range or a filter by a few letters. */
export function Palette({ address, projects, savedViews, segments, signOut, close }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const items = useMemo(
    () => [
      ...itemsOf(address, projects, savedViews),
      ...segments.map(({ name }) => ({
        title: segmentTitle(name, segments),
        kind: 'segment',
        to: withSegment(address, name),
      })),
      ...(canSignOut() ? [{ title: 'Sign out', kind: 'account', run: signOut }] : []),
    ],
    [address, projects, savedViews, segments],
  )
  const found = [...filterItems(address, text), ...dateItems(address, text), ...matching(items, text)].slice(
    0,
    MAX_SHOWN,
  )
  // Before the next key, which belongs to the dialog already.
  useLayoutEffect(() => ref.current?.showModal(), [])
  const take = (item: Item | undefined) => {
    if (item === undefined) return
    if ('to' in item) go(item.to)
    else item.run()
    close()
  }
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined) {
      event.preventDefault()
      setChosen((chosen + by + found.length) % Math.max(1, found.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      take(found[chosen])
    }
  }
  return (
    <dialog ref={ref} class="palette" aria-label="Jump to" onClose={close}>
      <input
        autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${chosen}` : undefined}
        aria-label="Jump to a view, project, range or filter"
        placeholder="A view, a project, a range, or a filter such as country is DE"
        value={text}
        onInput={event => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKey}
      />
      <div id="palette-list" role="listbox" aria-label="Found">
        {found.map((item, i) => (
          <div
            key={`${item.kind}${item.title}`}
            id={`palette-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === chosen}
            onPointerMove={() => setChosen(i)}
            onClick={() => take(item)}
          >
            <span>{item.title}</span>
            <small>{item.kind}</small>
          </div>
        ))}
        {found.length === 0 && <p>Nothing has this name.</p>}
      </div>
    </dialog>
  )
}

function itemsOf(address: Address, projects: Props['projects'], savedViews: Props['savedViews']): Item[] {
  const isOne = address.area !== 'account'
  const hasProject = isOne || address.project !== null || projects.length > 0
  const base =
    address.project === null && !isOne ? { ...address, project: projects[0]?.name ?? null } : address
  return [
    ...shownViews(address)
      .filter(({ of }) => of === 'sites' || hasProject)
      .map(row => ({ title: row.title, kind: 'view', to: addressOfView(base, row) })),
    ...projects
      .filter(() => !isOne)
      .map(({ name }) => ({
        title: titleOf(name) === name ? name : `${titleOf(name)} · ${name}`,
        kind: 'project',
        to: {
          ...address,
          project: name,
          view: address.project === null ? 'overview' : address.view,
          filters: [],
          own: {},
        },
      })),
    ...savedViews.map(({ name, query }) => ({
      title: name,
      kind: 'saved view',
      to: addressOfSaved(address.project ?? '', query),
    })),
    ...RANGE_LABELS.map(label => ({
      title: RANGE_NAMES[label],
      kind: 'range',
      to: { ...address, range: { label } },
    })),
    ...COMPARISONS.map(each => ({
      title: COMPARISON_NAMES[each],
      kind: 'comparison',
      to: { ...address, comparison: each },
    })),
    ...AUDIENCES.filter(() => hasBots(address)).map(each => ({
      title: AUDIENCE_NAMES[each],
      kind: 'traffic',
      to: { ...address, audience: each },
    })),
  ]
}

/** Entries that have every word. */
export function matching<I extends Pick<Item, 'title' | 'kind'>>(items: readonly I[], text: string): I[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return items.filter(({ title, kind }) => {
    const name = `${title} ${kind}`.toLowerCase()
    return words.every(word => name.includes(word))
  })
}

const FILTER =
  /^(?:filter\s+)?(\w+)\s+(is not|is more than|is at least|is less than|is at most|is|contains)\s+(\S.*)$/i

/** `did purchase`, `visitors who did not do purchase`. */
const DID = /^(?:visitors who )?did (not )?(?:do )?(\S.*)$/i

/** A filter that was typed in words: `country is DE`, or `did purchase`. */
function filterItems(address: Address, text: string): Item[] {
  const [isDid, not, event = ''] = DID.exec(text.trim()) ?? []
  if (isDid !== undefined && hasConditions(address) && hasFilters(address)) {
    const filter: Filter = { field: 'did', op: not === undefined ? 'eq' : 'neq', value: event }
    return [{ title: filterWords(filter), kind: 'filter', to: withFilter(address, filter) }]
  }
  const [, name = '', words = '', value = ''] = FILTER.exec(text.trim()) ?? []
  const op = FILTER_OPS.find((each: FilterOp) => OP_NAMES[each] === words.toLowerCase())
  if (op === undefined || !hasFilters(address)) return []
  const field = ['event', 'country', 'user_id', 'session_id'].includes(name) ? name : `properties.${name}`
  return [
    { title: `${name} ${words} ${value}`, kind: 'filter', to: withFilter(address, { field, op, value }) },
  ]
}

/** The views of all sites together have none. */
function hasFilters({ project, area }: Address): boolean {
  return project !== null || area !== 'account'
}

const DATES = /^(\d{4}-\d{2}-\d{2})(?:(?:\s*(?:to|until|–|-)\s*|\s+)(\d{4}-\d{2}-\d{2}))?$/

/** A range that was typed as one date or two: `2026-11-01 to 2026-11-07`. */
function dateItems(address: Address, text: string): Item[] {
  const [, from = '', to = from] = DATES.exec(text.trim()) ?? []
  const asked = { ...address, range: { from, to } }
  // What is no range is read as the usual one.
  const { range } = parseAddress(new URL(printAddress(asked), location.origin))
  return 'from' in range ? [{ title: datesLabel(from, to), kind: 'range', to: asked }] : []
}
