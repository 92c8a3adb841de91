import {
  changedPortfolio,
  createPortfolio,
  onePortfolio,
  portfolioList,
  updatePortfolio,
} from '#schemas/portfolios'
import { deletedProject } from '#schemas/projects'
import type { Route } from '#schemas/route'

/** Projects that share their users (docs/api/portfolios.md). */

const common = { tag: 'Portfolios', function: 'control', auth: 'account' } as const

export const portfoliosRoutes = {
  listPortfolios: {
    ...common,
    method: 'GET',
    path: '/portfolios',
    summary: 'Projects that share users',
    scope: 'projects:read',
    responses: { 200: { description: 'The portfolios', schema: portfolioList } },
    errors: [],
  },
  createPortfolio: {
    ...common,
    method: 'POST',
    path: '/portfolios',
    summary: 'Create one',
    scope: 'projects:write',
    body: createPortfolio,
    responses: { 201: { description: 'The new portfolio', schema: changedPortfolio } },
    errors: ['NOT_FOUND', 'SLUG_EXISTS', 'PROJECT_IN_PORTFOLIO'],
  },
  readPortfolio: {
    ...common,
    method: 'GET',
    path: '/portfolios/{idOrSlug}',
    summary: 'One',
    scope: 'projects:read',
    responses: { 200: { description: 'The portfolio', schema: onePortfolio } },
    errors: ['NOT_FOUND'],
  },
  updatePortfolio: {
    ...common,
    method: 'PATCH',
    path: '/portfolios/{idOrSlug}',
    summary: 'Change it',
    scope: 'projects:write',
    body: updatePortfolio,
    responses: { 200: { description: 'The portfolio', schema: changedPortfolio } },
    errors: ['NOT_FOUND', 'PROJECT_IN_PORTFOLIO'],
  },
  deletePortfolio: {
    ...common,
    method: 'DELETE',
    path: '/portfolios/{idOrSlug}',
    summary: 'Delete it',
    scope: 'projects:write',
    responses: { 200: { description: 'The portfolio is deleted', schema: deletedProject } },
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Route>
