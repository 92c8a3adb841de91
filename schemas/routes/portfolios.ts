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
    summary: 'The portfolios of projects that share users, oldest first',
    scope: 'projects:read',
    responses: { 200: { description: 'The portfolios', schema: portfolioList } },
    errors: [],
  },
  createPortfolio: {
    ...common,
    method: 'POST',
    path: '/portfolios',
    summary: 'Create a portfolio of projects that share users',
    scope: 'projects:write',
    body: createPortfolio,
    responses: { 201: { description: 'The new portfolio', schema: changedPortfolio } },
    errors: ['NOT_FOUND', 'SLUG_EXISTS', 'PROJECT_IN_PORTFOLIO'],
  },
  readPortfolio: {
    ...common,
    method: 'GET',
    path: '/portfolios/{idOrSlug}',
    summary: 'One portfolio, by id or slug',
    scope: 'projects:read',
    responses: { 200: { description: 'The portfolio', schema: onePortfolio } },
    errors: ['NOT_FOUND'],
  },
  updatePortfolio: {
    ...common,
    method: 'PATCH',
    path: '/portfolios/{idOrSlug}',
    summary: 'Change the name of a portfolio, or replace its projects',
    scope: 'projects:write',
    body: updatePortfolio,
    responses: { 200: { description: 'The portfolio', schema: changedPortfolio } },
    errors: ['NOT_FOUND', 'PROJECT_IN_PORTFOLIO'],
  },
  deletePortfolio: {
    ...common,
    method: 'DELETE',
    path: '/portfolios/{idOrSlug}',
    summary: 'Delete a portfolio; its projects stay',
    scope: 'projects:write',
    responses: { 200: { description: 'The portfolio is deleted', schema: deletedProject } },
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Route>
