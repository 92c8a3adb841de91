import { type Command, callCommand, type Flag, parametersOf } from '#cli/command'
import type { Answer } from '#cli/http/endpoint'
import type { Block } from '#cli/print/blocks'

const SLUG = { name: 'SLUG', help: 'slug or id of the portfolio' }
const MEMBERS: readonly Flag[] = [
  {
    flags: '--projects <names>',
    parameter: 'projects',
    as: 'list',
    help: 'names or ids of all its projects: shop,blog',
  },
  {
    flags: '--move',
    parameter: 'allow_move',
    as: 'switch',
    help: 'also takes projects out of other portfolios',
  },
]
const NEW_NAME: Flag = { flags: '--name <name>', parameter: 'name', help: 'what people call it' }

type Portfolio = Answer<'GET /portfolios/{idOrSlug}'>['portfolio']

/** Groups of projects that share their users. */
export const portfolioCommands: readonly Command[] = [
  callCommand<'GET /portfolios'>({
    name: 'portfolios list',
    group: 'Projects',
    args: [],
    flags: [],
    summary: 'Groups of projects that share their visitors',
    example: '--demo portfolios list',
    call: () => ({ endpoint: 'GET /portfolios' }),
    print: answer => [
      {
        kind: 'table',
        name: 'portfolios',
        none: 'No portfolio yet. Create one: footfall portfolios create SLUG --projects shop,blog',
        columns: [
          { key: 'slug', title: 'Slug' },
          { key: 'name', title: 'Name' },
          { key: 'id', title: 'Id', as: 'id' },
          { key: 'projects', title: 'Projects' },
        ],
        rows: answer.portfolios.map(portfolio => ({ ...portfolio, projects: membersOf(portfolio) })),
      },
    ],
  }),
  callCommand<'GET /portfolios/{idOrSlug}'>({
    name: 'portfolios get',
    group: 'Projects',
    args: [SLUG],
    flags: [],
    summary: 'One portfolio',
    example: 'portfolios get acme',
    call: ({ args }) => ({ endpoint: 'GET /portfolios/{idOrSlug}', path: { idOrSlug: args.SLUG as string } }),
    print: ({ portfolio }) => [portfolioFacts(portfolio)],
  }),
  callCommand<'POST /portfolios'>({
    name: 'portfolios create',
    group: 'Projects',
    effect: 'changes',
    args: [{ name: 'SLUG', help: 'its short name: a-z, 0-9 and -' }],
    flags: [{ ...NEW_NAME, required: true }, ...MEMBERS],
    summary: 'Creates a portfolio',
    example: 'portfolios create acme --name Acme --projects shop,blog --dry-run',
    call: input => ({
      endpoint: 'POST /portfolios',
      body: { slug: input.args.SLUG, ...parametersOf([NEW_NAME, ...MEMBERS], input) },
    }),
    print: ({ portfolio }) => [portfolioFacts(portfolio)],
  }),
  callCommand<'PATCH /portfolios/{idOrSlug}'>({
    name: 'portfolios update',
    group: 'Projects',
    effect: 'changes',
    args: [SLUG],
    flags: [NEW_NAME, ...MEMBERS],
    summary: 'Changes the name of a portfolio, or all its projects',
    example: 'portfolios update acme --projects shop --dry-run',
    call: input => ({
      endpoint: 'PATCH /portfolios/{idOrSlug}',
      path: { idOrSlug: input.args.SLUG as string },
      body: parametersOf([NEW_NAME, ...MEMBERS], input),
    }),
    print: ({ portfolio }) => [portfolioFacts(portfolio)],
  }),
  callCommand<'DELETE /portfolios/{idOrSlug}'>({
    name: 'portfolios delete',
    group: 'Projects',
    effect: 'deletes',
    args: [SLUG],
    flags: [],
    summary: 'Deletes a portfolio; its projects stay',
    example: 'portfolios delete acme --dry-run',
    call: ({ args }) => ({
      endpoint: 'DELETE /portfolios/{idOrSlug}',
      path: { idOrSlug: args.SLUG as string },
    }),
    print: answer => [{ kind: 'facts', facts: [['Deleted', answer.deleted]] }],
  }),
]

function portfolioFacts(portfolio: Portfolio): Block {
  return {
    kind: 'facts',
    facts: [
      ['Slug', portfolio.slug],
      ['Name', portfolio.name],
      ['Id', portfolio.id],
      ['Projects', membersOf(portfolio)],
    ],
  }
}

function membersOf({ members }: Pick<Portfolio, 'members'>): string {
  return members.map(({ project }) => project).join(', ')
}
