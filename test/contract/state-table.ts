import { beforeEach, describe, expect, test } from 'vitest'
import { queryAll, queryItems, scanPages } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'

type Item = Record<string, unknown>

/**
 * What every state table promises: the requests that our code and ElectroDB send. `setUp` returns an empty
 * table.
 */
export function stateTableContract(name: string, setUp: () => Promise<StateTable>): void {
  describe(`${name} as a state table`, () => {
    let state: StateTable
    beforeEach(async () => {
      state = await setUp()
    })

    const key = (sk = 'a', pk = 'p') => ({ pk, sk })
    const put = (item: Item, more: Item = {}) =>
      state.client.put({ TableName: state.table, Item: item, ...more })
    const get = async (sk?: string) =>
      (await state.client.get({ TableName: state.table, Key: key(sk), ConsistentRead: true })).Item
    const update = (UpdateExpression: string, more: Item = {}) =>
      state.client.update({ TableName: state.table, Key: key(), UpdateExpression, ...more })
    const query = (KeyConditionExpression: string, values: Item, more: Item = {}) =>
      state.client.query({
        TableName: state.table,
        KeyConditionExpression,
        ExpressionAttributeValues: values,
        ...more,
      })

    async function expectRefused(request: Promise<unknown>, name = 'ValidationException') {
      await expect(request).rejects.toMatchObject({ name })
    }

    test('an item of every type comes back as it was, without undefined values', async () => {
      const Item = {
        ...key(),
        ...{ text: 'ä \u0000 " \u{1F600}', empty: '', zero: 0, price: -1.5, big: 2 ** 53 - 1 },
        ...{ yes: true, no: false, none: null, bytes: new Uint8Array([0, 255]) },
        list: [1, ['x', { a: null, bytes: new Uint8Array([7]) }], { B: 'not bytes' }],
        map: { deep: { list: [], M: { SS: [1] } } },
        texts: new Set(['a', 'b']),
        numbers: new Set([1, 2]),
      }
      await put({ ...Item, nothing: undefined, map: { ...Item.map, nothing: undefined } })
      expect(await get()).toEqual(Item)
      expect(Object.keys((await get()) ?? {})).not.toContain('nothing')
      expect(await get('missing')).toBeUndefined()
    })

    test.each<[string, Item]>([
      ['no sk', { pk: 'p' }],
      ['an empty pk', { pk: '', sk: 'a' }],
      ['a number as key', { pk: 'p', sk: 1 }],
      ['a key that is too long', { pk: 'p', sk: 'x'.repeat(1_025) }],
      ['more than 400 KB', { ...key(), text: 'x'.repeat(409_600) }],
    ])('an item with %s is refused', async (_, item) => {
      await expectRefused(put(item))
    })

    test.each<[string, unknown]>([
      ['infinite', Number.POSITIVE_INFINITY],
      ['not exact', 2 ** 53],
    ])('a number that is %s is refused', async (_, n) => {
      await expect((async () => put({ ...key(), n }))()).rejects.toThrow(/Number|infinite|special/i)
    })

    test('an item of 400 KB is stored', async () => {
      const text = 'x'.repeat(409_600 - 'pkpskatext'.length)
      await put({ ...key(), text })
      expect(await get()).toEqual({ ...key(), text })
      await expectRefused(update('SET more_text = :more', { ExpressionAttributeValues: { ':more': '' } }))
    })

    test('a large item has null among its values', async () => {
      const item = { ...key(), text: 'x'.repeat(200_000), none: null }
      await put(item)
      expect(await get()).toEqual(item)
    })

    test('a write whose condition fails changes nothing', async () => {
      await put({ ...key(), n: 1 })
      const isNew = { ConditionExpression: 'attribute_not_exists(pk)' }
      await expectRefused(put({ ...key(), n: 2 }, isNew), 'ConditionalCheckFailedException')
      expect(await get()).toEqual({ ...key(), n: 1 })
      const isOther = {
        ConditionExpression: '#n <> :one',
        ExpressionAttributeNames: { '#n': 'n' },
        ExpressionAttributeValues: { ':one': 1 },
      }
      const Key = key()
      await expectRefused(
        state.client.delete({ TableName: state.table, Key, ...isOther }),
        'ConditionalCheckFailedException',
      )
      expect(await get()).toEqual({ ...key(), n: 1 })
    })

    test('of many concurrent conditional writes exactly one succeeds', async () => {
      const condition = { ConditionExpression: 'attribute_not_exists(pk)' }
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => put({ ...key(), n }, condition)),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })

    test('an update adds numbers and elements of sets, sets and removes attributes, and creates the item', async () => {
      const names = { '#n': 'n', '#s': 's', '#t': 't' }
      const values = { ':two': 2, ':s': new Set(['a']), ':t': { x: 1 } }
      const text = 'ADD #n :two, #s :s SET #t = :t'
      await update(text, { ExpressionAttributeNames: names, ExpressionAttributeValues: values })
      await update('SET #t = :t ADD #s :s, #n :two', {
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ...values, ':s': new Set(['b', 'a']), ':t': 'new' },
      })
      expect(await get()).toEqual({ ...key(), n: 4, s: new Set(['a', 'b']), t: 'new' })
      await update('REMOVE #n, #t DELETE #s :s', {
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ':s': new Set(['a', 'b', 'c']) },
      })
      expect(await get()).toEqual(key())
    })

    test('a write returns the item from before or after it, if the request wants it', async () => {
      const values = { ExpressionAttributeValues: { ':one': 1 }, ExpressionAttributeNames: { '#n': 'n' } }
      expect((await update('ADD #n :one', values)).Attributes).toBeUndefined()
      const after = await update('ADD #n :one', { ...values, ReturnValues: 'ALL_NEW' })
      expect(after.Attributes).toEqual({ ...key(), n: 2 })
      expect((await put(key(), { ReturnValues: 'ALL_OLD' })).Attributes).toEqual({ ...key(), n: 2 })
      const removal = { TableName: state.table, Key: key(), ReturnValues: 'ALL_OLD' as const }
      expect((await state.client.delete(removal)).Attributes).toEqual(key())
      expect((await state.client.delete(removal)).Attributes).toBeUndefined()
    })

    test.each<[string, string, Item]>([
      ['adds to a text', 'ADD #t :n', { ':n': 1 }],
      ['adds a text', 'ADD #n :t', { ':t': 'x' }],
      ['changes a key', 'SET pk = :t', { ':t': 'x' }],
      ['changes an attribute twice', 'SET #t = :t REMOVE #t', { ':t': 'x' }],
      ['uses an unknown value', 'SET #t = :t', {}],
      ['uses an unknown name', 'SET #unknown = :t', { ':t': 'x' }],
      ['does not use a value', 'REMOVE #t', { ':t': 'x' }],
      ['ends too early', 'SET #t =', { ':t': 'x' }],
      ['goes on too long', 'SET #t = :t :t', { ':t': 'x' }],
    ])('an update that %s is refused and changes nothing', async (_, text, values) => {
      const item = { ...key(), t: 'text', n: 1 }
      await put(item)
      const all: Record<string, string> = { '#t': 't', '#n': 'n' }
      const names = Object.fromEntries(Object.entries(all).filter(([name]) => text.includes(name)))
      await expectRefused(
        update(text, {
          ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
          ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
        }),
      )
      expect(await get()).toEqual(item)
    })

    test('a query returns the items of a range of keys in the order of their bytes', async () => {
      const sks = ['a', 'a#', 'a#1', 'a#\u{10FFFF}x', 'a$', 'b', 'é', '\uFFFD', '\u{1F600}']
      for (const sk of sks) await put(key(sk))
      await put(key('a', 'q'))
      const found = async (condition: string, values: Item, more: Item = {}) =>
        ((await query(`pk = :p AND ${condition}`, { ':p': 'p', ...values }, more)).Items ?? []).map(
          ({ sk }) => sk,
        )
      expect(await found('begins_with(sk, :a)', { ':a': 'a#' })).toEqual(['a#', 'a#1', 'a#\u{10FFFF}x'])
      expect(
        await found('begins_with(sk, :a)', { ':a': 'a#' }, { ScanIndexForward: false, Limit: 2 }),
      ).toEqual(['a#\u{10FFFF}x', 'a#1'])
      expect(await found('sk BETWEEN :a AND :b', { ':a': 'a#1', ':b': 'b' })).toEqual(sks.slice(2, 6))
      expect(await found('sk >= :a', { ':a': 'b' })).toEqual(sks.slice(5))
      expect(await found('sk > :a', { ':a': 'b' })).toEqual(sks.slice(6))
      expect(await found('sk <= :a', { ':a': 'a#' })).toEqual(sks.slice(0, 2))
      expect(await found('sk < :a', { ':a': 'a#' })).toEqual(sks.slice(0, 1))
      expect(await found('sk = :a', { ':a': 'a' })).toEqual(['a'])
      expect(await queryItems(state, 'p', 'b', 'é')).toEqual([key('b'), key('é')])
    })

    test('pages of a query and of a scan have all items once, with a limit, a filter and a projection', async () => {
      for (let n = 0; n < 25; n++) await put({ ...key(`${n + 10}`), n, more: 'x' })
      await put(key('a', 'q'))
      const all = Array.from({ length: 25 }, (_, n) => `${n + 10}`)
      for (const ScanIndexForward of [true, false]) {
        const items = await queryAll(state, {
          KeyConditionExpression: 'pk = :p AND sk >= :from',
          FilterExpression: '#n <> :three',
          ProjectionExpression: 'sk, #n',
          ExpressionAttributeNames: { '#n': 'n' },
          ExpressionAttributeValues: { ':p': 'p', ':from': '10', ':three': 3 },
          ScanIndexForward,
          Limit: 4,
        })
        const expected = all.map((sk, n) => ({ sk, n })).filter(({ n }) => n !== 3)
        expect(items).toEqual(ScanIndexForward ? expected : expected.reverse())
      }
      const scanned: Item[] = []
      for await (const page of scanPages(state, { ProjectionExpression: 'pk, sk', Limit: 7 }))
        scanned.push(...page)
      expect(scanned.map(({ pk, sk }) => `${pk} ${sk}`).toSorted()).toEqual([
        ...all.map(sk => `p ${sk}`),
        'q a',
      ])
      expect(await query('pk = :p', { ':p': 'p' }, { Limit: 25 })).toMatchObject({
        Count: 25,
        LastEvaluatedKey: key('34'),
      })
      expect((await query('pk = :p', { ':p': 'p' }, { Limit: 26 })).LastEvaluatedKey).toBeUndefined()
    })

    test('a page ends after a megabyte of items', async () => {
      for (let n = 0; n < 6; n++) await put({ ...key(`${n}`), text: 'x'.repeat(300_000) })
      const page = await query('pk = :p', { ':p': 'p' })
      expect(page.Items).toHaveLength(4)
      expect(page.LastEvaluatedKey).toEqual(key('3'))
      const read = { KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': 'p' } }
      expect(await queryAll(state, read)).toHaveLength(6)
    })

    test('a batch writes, deletes and reads items', async () => {
      await put(key('old'))
      const { table } = state
      const { UnprocessedItems } = await state.client.batchWrite({
        RequestItems: {
          [table]: [
            { PutRequest: { Item: { ...key('new'), n: 1 } } },
            { DeleteRequest: { Key: key('old') } },
            { DeleteRequest: { Key: key('missing') } },
          ],
        },
      })
      expect(UnprocessedItems).toEqual({})
      const Keys = [key('new'), key('old')]
      const { Responses, UnprocessedKeys } = await state.client.batchGet({
        RequestItems: { [table]: { Keys, ConsistentRead: true } },
      })
      expect(Responses).toEqual({ [table]: [{ ...key('new'), n: 1 }] })
      expect(UnprocessedKeys).toEqual({})
    })

    test.each<[string, () => Promise<unknown>]>([
      ['a batch without keys', () => batchGet([])],
      ['a batch with a key twice', () => batchGet([key(), key()])],
      ['a batch of 101 keys', () => batchGet(Array.from({ length: 101 }, (_, n) => key(`${n}`)))],
      ['a batch of 26 writes', () => batchWrite(26)],
      ['a key with a third part', () => batchGet([{ ...key(), other: 'x' }])],
      ['a query without a partition', () => query('sk = :p', { ':p': 'p' })],
      ['a query of an attribute', () => query('pk = :p AND some_name = :p', { ':p': 'p' })],
      [
        'a range that ends before it begins',
        () => query('pk = :p AND sk BETWEEN :p AND :a', { ':p': 'p', ':a': 'a' }),
      ],
      ['a limit of 0', () => query('pk = :p', { ':p': 'p' }, { Limit: 0 })],
    ])('%s is refused', async (_, request) => {
      await expectRefused(request())
    })

    test('a request for another table is refused', async () => {
      const request = { TableName: 'other', Key: key() }
      await expectRefused(state.client.get(request), 'ResourceNotFoundException')
      await expectRefused(state.client.delete(request), 'ResourceNotFoundException')
    })

    function batchGet(Keys: Item[]) {
      return state.client.batchGet({ RequestItems: { [state.table]: { Keys } } })
    }

    function batchWrite(length: number) {
      const writes = Array.from({ length }, (_, n) => ({ PutRequest: { Item: key(`${n}`) } }))
      return state.client.batchWrite({ RequestItems: { [state.table]: writes } })
    }
  })
}
