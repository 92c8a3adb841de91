import { useEffect, useState } from 'preact/hooks'
import { refresh, useAnswers } from '#dashboard/answers'
import { call } from '#dashboard/api'
import { useAddress } from '#dashboard/navigate'
import { QuestionDialog } from '#dashboard/parts/question.tsx'
import { ProblemNote } from '#dashboard/parts/states.tsx'
import { rememberProject } from '#dashboard/remembered'
import { uses, viewNamed } from '#dashboard/views'
import { FilterBar } from './filter-bar.tsx'
import { KeyList } from './key-list.tsx'
import { Navigation } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { Toolbar } from './toolbar.tsx'
import { useKeys } from './use-keys.ts'
import { ViewFrame } from './view-frame.tsx'

type Dialog = 'palette' | 'keys'

/** Everything around a view. */
export function Shell() {
  const address = useAddress()
  const { area, project, view } = address
  const row = viewNamed(view)
  const isKnown = row !== undefined && (row.of === 'project') === (project !== null || area === 'demo')
  const answers = useAnswers({ projects: call('GET /projects', {}) })
  const projects = answers.projects.data?.projects ?? []
  const [dialog, setDialog] = useState<Dialog | null>(null)
  // A dialog says some time after Escape that it is closed. Another one may be open by then.
  const close = (closed: Dialog) => setDialog(open => (open === closed ? null : open))
  useKeys({ address, openPalette: () => setDialog('palette'), openKeys: () => setDialog('keys') })

  useEffect(() => {
    if (project !== null && projects.some(({ name }) => name === project)) rememberProject(project)
  }, [project, projects])
  useEffect(() => {
    const title = row?.title ?? 'Not found'
    document.title = `${project === null ? title : `${project} · ${title}`} · Footfall`
  }, [project, row])
  useEffect(() => {
    const again = () => {
      if (document.visibilityState === 'visible') refresh()
    }
    addEventListener('online', again)
    document.addEventListener('visibilitychange', again)
    return () => {
      removeEventListener('online', again)
      document.removeEventListener('visibilitychange', again)
    }
  }, [])

  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the numbers
      </a>
      <Navigation
        address={address}
        projects={projects}
        openPalette={() => setDialog('palette')}
        openKeys={() => setDialog('keys')}
      />
      <div class="page">
        {isKnown && (
          <section aria-label="Range and filters">
            <Toolbar address={address} row={row} />
            {row.of === 'project' && <FilterBar address={address} hasEffect={uses(row, 'filters')} />}
          </section>
        )}
        <main id="main" tabIndex={-1}>
          {answers.projects.problem !== null && answers.projects.data === undefined ? (
            <ProblemNote problem={answers.projects.problem} />
          ) : isKnown ? (
            <ViewFrame key={view} row={row} address={address} />
          ) : (
            <div class="note empty">
              <strong>The dashboard has no such view</strong>
              <p>
                <a href={area === 'demo' ? '/app/demo' : '/app'}>Start again</a>
              </p>
            </div>
          )}
        </main>
      </div>
      <QuestionDialog />
      {dialog === 'palette' && (
        <Palette address={address} projects={projects} close={() => close('palette')} />
      )}
      {dialog === 'keys' && <KeyList close={() => close('keys')} />}
    </div>
  )
}
