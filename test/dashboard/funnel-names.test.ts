import { expect, test } from 'vitest'
import type { Address } from '#dashboard/url'
import { sharedFilters } from '#dashboard/views/funnel/asks'
import { stepsOf, withSteps } from '#dashboard/views/funnel/steps'

test('conditions of a funnel name a property like a field of the event with its prefix (U90)', () => {
  const filters = ['country', 'properties.country', 'properties.path'].map(field => ({
    ...{ field, op: 'eq' as const, value: 'x' },
  }))
  const { known } = sharedFilters({ filters })
  expect(known.map(({ property }) => property)).toEqual(['country', 'properties.country', 'path'])
  const steps = known.map(filter => ({ event: 'view', filters: [filter] }))
  const { own } = withSteps({ own: {} } as never, steps) as Address
  expect(stepsOf({ own })).toEqual(steps)
})
