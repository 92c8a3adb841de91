import { expect, test } from 'vitest'
import type { Address } from '#dashboard/url'
import { stepsOf, withSteps } from '#dashboard/views/funnel/steps'
import { oneSpelling } from '#schemas/property-names'

test('conditions of a funnel name a property like a field of the event with its prefix (U90)', () => {
  const names = ['country', 'properties.country', 'properties.path'].map(name => oneSpelling(name))
  expect(names).toEqual(['country', 'properties.country', 'path'])
  const steps = names.map(property => ({
    ...{ event: 'view', filters: [{ property, op: 'eq' as const, value: 'x' }] },
  }))
  const { own } = withSteps({ own: {} } as never, steps) as Address
  expect(stepsOf({ own })).toEqual(steps)
})
