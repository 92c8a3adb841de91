import { useEffect, useMemo, useState } from 'preact/hooks'
import { refreshOld, useAnswers } from '#dashboard/answers'
import { type Answer, type Call, call } from '#dashboard/api'
import { addressFaults, useAddress } from '#dashboard/navigate'
import { QuestionDialog } from '#dashboard/parts/question.tsx'
import { ProblemNote } from '#dashboard/parts/states.tsx'
import { noteNames, titleOf } from '#dashboard/project-names'
import { noteZones } from '#dashboard/project-zones'
import { rememberProject } from '#dashboard/remembered'
import { signOut } from '#dashboard/session'
import { readShared } from '#dashboard/shared'
import { shownViews } from '#dashboard/shown-views'
import { uses } from '#dashboard/views'
import { FilterBar } from './filter-bar.tsx'
import { KeyList } from './key-list.tsx'
import { homeOf, Navigation } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { Toolbar } from './toolbar.tsx'
import { useAnnounced } from './use-announced.ts'
import { useKeys } from './use-keys.ts'
import { ViewFrame } from './view-frame.tsx'

type Dialog = 'palette' | 'keys'
type ProjectsCall = Call<Answer<'GET /projects'>>
type SavedViewsCall = Call<Answer<'GET /projects/{id}/views'>>
type SegmentsCall = Call<Answer<'GET /projects/{id}/segments'>>

/** One object, so that it is the same list at each drawing. */
const NO_PROJECTS: Answer<'GET /projects'>['projects'] = []

/** Everything around a view. */
export function Shell() {
  const address = useAddress()
  const { area, project, view } = address
  const row = shownViews(address).find(({ name }) => name === view)
  const isKnown = row !== undefined && (row.of === 'project') === (project !== null || area !== 'account')
  const answers = useAnswers<{ projects?: ProjectsCall; views?: SavedViewsCall; segments?: SegmentsCall }>({
    // A share link reads one project, and no list of them.
    ...(area !== 'share' && { projects: call('GET /projects', {}) }),
    ...(project !== null && {
      views: call('GET /projects/{id}/views', {}, { id: project }),
      segments: call('GET /projects/{id}/segments', {}, { id: project }),
    }),
  })
  const savedViews = answers.views?.data?.views ?? []
  const segments = answers.segments?.data?.segments ?? []
  const projects = answers.projects?.data?.projects ?? NO_PROJECTS
  useMemo(() => noteNames(projects), [projects])
  // Before the view is drawn, because it asks with the zone of its project. The demo has a list of its own.
  const listed = area === 'account' ? answers.projects?.data?.projects : undefined
  useMemo(() => listed && noteZones(listed), [listed])
  const [dialog, setDialog] = useState<Dialog | null>(null)
  // A dialog says some time after Escape that it is closed. Another one may be open by then.
  const close = (closed: Dialog) => setDialog(open => (open === closed ? null : open))
  const [failure, setFailure] = useState<string | null>(null)
  const said = useAnnounced(address, row?.title ?? 'Not found')
  const endSession = async () => setFailure(await signOut())
  useKeys({ address, openPalette: () => setDialog('palette'), openKeys: () => setDialog('keys') })

  useEffect(() => {
    if (project !== null && projects.some(({ name }) => name === project)) rememberProject(project)
  }, [project, projects])
  useEffect(() => {
    const title = row?.title ?? 'Not found'
    const of = project ?? readShared()?.project
    document.title = `${of === undefined ? title : `${titleOf(of)} · ${title}`} · Footfall`
  }, [project, projects, row])
  useEffect(() => {
    const again = () => {
      if (document.visibilityState === 'visible') refreshOld()
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
        signOut={endSession}
      />
      <p class="hidden" role="status">
        {said}
      </p>
      <div class="page">
        {failure !== null && (
          <div class="note problem" role="alert">
            <strong>{failure}</strong>
          </div>
        )}
        {isKnown && (
          <section aria-label="Range and filters">
            <Toolbar address={address} row={row} />
            {addressFaults().map(text => (
              <p key={text} class="stale" role="alert">
                {text}
              </p>
            ))}
            {row.of === 'project' && (
              <FilterBar
                address={address}
                hasEffect={uses(row, 'filters', address)}
                savedViews={savedViews}
                segments={segments}
              />
            )}
          </section>
        )}
        <main id="main" tabIndex={-1} data-view={view}>
          {answers.projects?.problem && answers.projects.data === undefined ? (
            <ProblemNote problem={answers.projects.problem} failed={[answers.projects]} />
          ) : isKnown ? (
            <ViewFrame key={view} row={row} address={address} />
          ) : (
            <div class="note empty">
              <strong>The dashboard has no such view</strong>
              <p>
                <a href={homeOf(address)}>Start again</a>
              </p>
            </div>
          )}
        </main>
      </div>
      <QuestionDialog />
      {dialog === 'palette' && (
        <Palette
          address={address}
          projects={projects}
          savedViews={savedViews}
          segments={segments}
          signOut={endSession}
          close={() => close('palette')}
        />
      )}
      {dialog === 'keys' && <KeyList address={address} close={() => close('keys')} />}
    </div>
  )
}
