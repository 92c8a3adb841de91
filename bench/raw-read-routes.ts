export type RawRead = { method: string; path: string; body?: object }

/** Every read that has single events, about one user. */
export function rawReads(project: string, user_id: string): RawRead[] {
  const query = (fields: Record<string, string>) =>
    new URLSearchParams({ project, user_id, limit: '1000', ...fields }).toString()
  const body = { project, user_id, limit: 1_000 }
  const post = (path: string, fields: object = {}): RawRead => ({
    method: 'POST',
    path,
    body: { ...body, ...fields },
  })
  const get = (path: string, fields: Record<string, string> = {}): RawRead => ({
    method: 'GET',
    path: `${path}?${query(fields)}`,
  })
  return [
    get('/events'),
    get('/events', { session_id: `session-${user_id}` }),
    get('/events', { event: 'odd_0' }),
    get('/events', { fields: 'event,properties' }),
    get('/events', { compact: 'true' }),
    post('/events'),
    post('/events', { event: 'odd_8' }),
    post('/events', { event: 'copied_owned' }),
    post('/events/lookup'),
    get('/journey'),
    get('/journey', { order: 'asc', limit: '3' }),
    post('/journey', { order: 'desc' }),
    post('/journey/lookup'),
    post('/journey/lookup', { order: 'asc' }),
    post('/journey/lookup', { fields: 'event,properties' }),
  ]
}
