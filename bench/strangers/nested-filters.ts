import { type Attack, scaled } from './attack.ts'
import { sendRequests } from './send-requests.ts'

export const nestedFilters: Attack = {
  name: '11 nested filters',
  does: '`filters` nested 400,000 deep at /query and /funnel by a share link, four at a time',
  seconds: 15,
  run: (door, stopping) => {
    const { port, project, links, from } = door
    const depth = scaled(400_000, door)
    const filters = '['.repeat(depth) + ']'.repeat(depth)
    const bodies = [
      ['/query', `{"project":"${project}","filters":${filters}}`],
      ['/funnel', `{"project":"${project}","steps":[{"event":"a","filters":${filters}},{"event":"b"}]}`],
    ] as const
    const headers = { Authorization: `Bearer ${links[0]}` }
    return sendRequests(
      {
        request: i => {
          const [path, body] = bodies[i % bodies.length] as (typeof bodies)[number]
          return { port, method: 'POST', path, headers, body, from: from[0] }
        },
        pace: { atOnce: 4 },
      },
      stopping,
    )
  },
}
