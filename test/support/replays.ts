import { randomBytes } from 'node:crypto'
import type { Project } from '#core/projects/project'
import { routes } from '#schemas/routes'
import type { HttpService } from './http-service.ts'

/** What rrweb sends first: the size of the page, then the whole page. `at`: Unix ms. */
export function snapshotAt(at: number) {
  return [
    { type: 4, timestamp: at, data: { href: 'https://a.example/', width: 800, height: 600 } },
    { type: 2, timestamp: at + 1, data: { node: { type: 0, id: 1, childNodes: [] }, initialOffset: {} } },
  ]
}

/** Turns replay on for a project, and returns the body of a start in it. */
export async function newRecording({ replays, now }: HttpService, project: Project) {
  await replays.settings.change(project, { enabled: true })
  const start_id = randomBytes(12).toString('hex')
  const session_id = `s-${start_id.slice(0, 8)}`
  return { token: project.project_token, session_id, start_id, started_at: now() }
}

/** Begins a replay; returns its id and the fields that each of its uploads has. */
export async function newReplay(service: HttpService, project: Project) {
  const { start_id, started_at, ...upload } = await newRecording(service, project)
  const id = await service.replays.uploads.start({ ...upload, start_id, started_at, origin: undefined })
  return { id, upload, started_at }
}

/** A replay with one chunk, which has ended. */
export async function newFinishedReplay(service: HttpService, project: Project) {
  const replay = await newReplay(service, project)
  const { id, upload, started_at } = replay
  const sender = { ...upload, origin: undefined }
  await service.replays.uploads.addChunk(id, { ...sender, index: 0, events: snapshotAt(started_at) })
  await service.replays.uploads.finish(id, { ...sender, chunks: 1 })
  return replay
}

/** The secret of a viewer of such a replay, opened with the key of the owner. */
export async function newViewer(service: HttpService, project: Project): Promise<string> {
  const { id } = await newFinishedReplay(service, project)
  return openSecret(service, id)
}

/** Opens a replay with the key of the owner, and returns the secret of its viewer. */
export async function openSecret(service: HttpService, id: string): Promise<string> {
  const { body } = await service.call(routes.openReplay, { id })
  return String(body.viewer_url).split('#')[1] ?? ''
}
