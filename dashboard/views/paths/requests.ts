import { type Answer, type Call, call } from '#dashboard/api'
import { datedOf, questionOf } from '#dashboard/question'
import { type Address, ownValue } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'

/** Steps that are followed at most. */
export const DEPTHS = [1, 2, 3, 4, 5] as const
const [ENTRIES, WAYS] = [10, 5]

export type PathsRequests = {
  events: Call<Answer<'GET /properties'>>
  paths?: Call<Answer<'POST /paths'>>
}

export function depthOf(address: Pick<Address, 'own'>): number {
  const asked = Number(ownValue(address, 'depth'))
  return DEPTHS.find(each => each === asked) ?? 5
}

/** Ways are asked when the reader has said where they should lead: the own value `goal`. */
export function requests({ address, project }: ViewContext): PathsRequests {
  const goal = ownValue(address, 'goal')
  return {
    events: call('GET /properties', { project, ...datedOf(address) }),
    ...(goal && {
      paths: call('POST /paths', {
        project,
        ...questionOf(address),
        goal_event: goal,
        max_steps: depthOf(address),
        entry_limit: ENTRIES,
        path_limit: WAYS,
      }),
    }),
  }
}
