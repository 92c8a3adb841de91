import { expect, test } from 'vitest'
import { gatherLookUps } from '#core/state/gathered-look-ups'

test('look-ups of the same moment are one request, and each gets its own value', async () => {
  const requests: string[][] = []
  const lookUp = gatherLookUps(async texts => {
    requests.push([...texts])
    return texts.map(text => (text === 'none' ? null : text.toUpperCase()))
  })
  expect(await Promise.all([lookUp('a'), lookUp('none'), lookUp('b')])).toEqual(['A', null, 'B'])
  expect(await lookUp('c')).toBe('C')
  expect(requests).toEqual([['a', 'none', 'b'], ['c']])
})

test('a failure of the request rejects all of its look-ups, and no later one', async () => {
  let isAway = true
  const lookUp = gatherLookUps(async texts => {
    if (isAway) throw new Error('the table is away')
    return [...texts]
  })
  const results = await Promise.allSettled([lookUp('a'), lookUp('b')])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isAway = false
  expect(await lookUp('a')).toBe('a')
})
