import { useEffect, useState } from 'preact/hooks'
import { useAnswers } from '#dashboard/answers'
import { SavedOf } from '#dashboard/charts/save-tools.tsx'
import { fullDatesLabel } from '#dashboard/format'
import { useIsSlow, WithProblems } from '#dashboard/parts/states.tsx'
import { titleOf } from '#dashboard/project-names'
import { datesOf, zoneOf } from '#dashboard/range'
import { readShared } from '#dashboard/shared'
import type { Address } from '#dashboard/url'
import type { View } from '#dashboard/view'
import { shownRange, type ViewRow } from '#dashboard/views'
import { loadedView, loadOtherViews, loadView } from './load-view.ts'

/** The address of a reload that a missing script has caused. A second one would never end. */
const RELOADED = 'footfall-reloaded'

/** Loads the script of a view, then asks and draws it. */
export function ViewFrame({ row, address }: { row: ViewRow; address: Address }) {
  const [view, setView] = useState<View | null>(loadedView(row))
  const [hasFailed, setFailed] = useState(false)
  const isSlow = useIsSlow(view === null)
  useEffect(() => {
    loadView(row).then(
      found => {
        setView(found)
        sessionStorage.removeItem(RELOADED)
        loadOtherViews(address)
      },
      () => {
        // A newer version of the service has other file names.
        if (sessionStorage.getItem(RELOADED) === row.name) setFailed(true)
        else {
          sessionStorage.setItem(RELOADED, row.name)
          location.reload()
        }
      },
    )
  }, [row])
  if (hasFailed) {
    return (
      <div class="note problem" role="alert">
        <strong>This view cannot be loaded</strong>
        <p>Load the page again in a moment.</p>
      </div>
    )
  }
  if (view === null) return <div class={isSlow ? 'skeleton slow' : 'skeleton'} aria-busy="true" />
  return <Asked view={view} row={row} address={address} />
}

function Asked({ view, row, address }: { view: View; row: ViewRow; address: Address }) {
  // The demo and a share link answer every name with their one project.
  const context = { address, project: address.project ?? readShared()?.project ?? 'demo' }
  const answers = useAnswers(view.requests(context))
  const { Draw } = view
  const range = shownRange(row, address)
  const dates = range === null ? null : datesOf(range, zoneOf(address))
  const saved = {
    before: row.of === 'project' ? titleOf(context.project) : '',
    ...(dates !== null && {
      dates: fullDatesLabel(dates.from, dates.to),
      file: `${dates.from}-${dates.to}`,
    }),
  }
  return (
    <SavedOf.Provider value={saved}>
      <WithProblems answers={Object.values(answers)}>
        <Draw {...context} answers={answers} />
      </WithProblems>
    </SavedOf.Provider>
  )
}
