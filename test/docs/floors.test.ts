import { expect, test } from 'vitest'
import { drawFloors } from '#docs/generate/floors'

test('a room stands one floor above the highest that it imports, and names only those that no other stands on', () => {
  const files = [
    { path: 'core/lake/read/b.ts', text: "import type { a } from '#core/usage/a'\nimport './c.ts'" },
    { path: 'core/usage/a.ts', text: "import { now } from '#core/time' // import '#core/live/x'" },
    { path: 'core/time.ts', text: '' },
    { path: 'core/text/t.ts', text: "import 'zod'" },
    {
      path: 'core/live/x.ts',
      text: "import '#core/lake/read/b'\nimport '#core/time'\nimport '#core/text/t'",
    },
  ]
  expect(drawFloors(files).split('\n')).toEqual([
    ' 3  live       on lake/read, text',
    ' 2  lake/read  on usage',
    ' 1  usage      on time.ts',
    ' 0  text',
    '    time.ts',
  ])
})

test('rooms that import each other in a circle are refused with the circle', () => {
  const files = [
    { path: 'core/usage/a.ts', text: "import '#core/live/b'" },
    { path: 'core/live/b.ts', text: "import '#core/usage/a'" },
  ]
  expect(() => drawFloors(files)).toThrow('Rooms import each other: usage -> live -> usage')
})
