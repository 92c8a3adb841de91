import fc from 'fast-check'
import type { Condition, Leaf } from '#schemas/conditions'
import { unusualTexts } from './random-history.ts'

/** A property that is named in quotes. Some keys do not need them. */
export const quotedField = fc
  .constantFrom('plan', ...unusualTexts)
  .map(key => `properties[${JSON.stringify(key)}]`)

/** A condition about a trait alone. */
export const traitLeaf: fc.Arbitrary<Leaf> = fc.oneof(
  fc.record({
    field: fc.constantFrom('traits.plan', 'traits["a.b"]', 'traits[""]', 'traits["o\'brien"]', 'traits["*"]'),
    op: fc.constantFrom('eq' as const, 'neq' as const, 'gt' as const, 'prefix' as const),
    value: fc.constantFrom<string | number>('x', 'pro', 5, '5', ''),
  }),
  fc.record({
    field: fc.constantFrom('traits.plan', 'traits["__proto__"]'),
    op: fc.constant('exists' as const),
    value: fc.boolean(),
  }),
)

const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  fc.record({
    field: fc.constantFrom('event', 'country', 'user_id'),
    op: fc.constantFrom('eq' as const, 'neq' as const),
    value: fc.constantFrom('page_view', 'signup', 'buy', 'DE', 'FR', 'u1', 'u2'),
  }),
  fc.record({
    field: fc.oneof(fc.constantFrom('event', 'country', 'properties.path', 'properties.plan'), quotedField),
    op: fc.constantFrom('in' as const, 'not_in' as const),
    value: fc.array(fc.constantFrom<string | number>('page_view', 'buy', 'DE', 'x', 5, 'a'), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  fc.record({
    field: fc.oneof(
      fc.constantFrom('country', 'properties.path', 'properties.plan', 'entry_page', 'session_id'),
      quotedField,
    ),
    op: fc.constant('exists' as const),
    value: fc.boolean(),
  }),
  fc.record({
    field: fc.constantFrom('properties.path', 'properties.plan', 'entry_page', 'exit_page'),
    op: fc.constantFrom('prefix' as const, 'suffix' as const, 'glob' as const, 'contains' as const),
    value: fc.constantFrom('', 'x', '*', 'a**', "o'*", '5'),
  }),
  fc.record({
    field: fc.constantFrom('hour', 'weekday', 'duration', 'properties.session_count'),
    op: fc.constantFrom('gte' as const, 'lt' as const),
    value: fc.constantFrom(0, 3, 5, 15, 60_000),
  }),
  fc.record({
    field: fc.constantFrom('channel', 'source', 'referrer_host'),
    op: fc.constantFrom('eq' as const, 'neq' as const),
    value: fc.constantFrom('direct', 'referral', 'organic_search', 'email', 'google', 'blog.example.org'),
  }),
  fc.record({
    field: fc.constant('is_new'),
    op: fc.constantFrom('eq' as const, 'neq' as const),
    value: fc.boolean(),
  }),
  traitLeaf,
  fc.record({ field: fc.constant('is_bounce'), op: fc.constant('eq' as const), value: fc.boolean() }),
)

/** Random conditions of all kinds, at most four inside each other. */
export const condition: fc.Arbitrary<Condition> = fc.letrec<{ node: Condition }>(tie => {
  const few = fc.array(tie('node'), { minLength: 1, maxLength: 2 })
  return {
    node: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 3, arbitrary: leaf },
      { weight: 1, arbitrary: fc.record({ and: few }) },
      { weight: 1, arbitrary: fc.record({ or: few }) },
      { weight: 1, arbitrary: fc.record({ not: tie('node') }) },
      { weight: 2, arbitrary: fc.record({ session: tie('node') }) },
      { weight: 2, arbitrary: fc.record({ person: tie('node') }) },
      {
        weight: 2,
        arbitrary: fc.record({
          did: fc.record(
            {
              event: fc.constantFrom('page_view', 'signup', 'buy'),
              where: tie('node'),
              at_least: fc.constantFrom(1, 2),
              within: fc.constantFrom('1d', '40d'),
            },
            { requiredKeys: ['event'] },
          ),
        }),
      },
    ),
  }
}).node
