import { okResponse } from '#schemas/agent-sessions'
import {
  annotation,
  contextQuery,
  createAnnotation,
  MAX_CONTEXT_BYTES,
  portfolioContextResponse,
  projectContextResponse,
  putPortfolioContext,
  putProjectContext,
} from '#schemas/contexts'
import type { Route } from '#schemas/route'

/** What the owner says about the numbers (docs/api/projects.md). */

const common = { tag: 'Contexts', function: 'control', auth: 'account' } as const

export const contextsRoutes = {
  readProjectContext: {
    ...common,
    method: 'GET',
    path: '/project-context',
    summary: 'Goals, activation, words, annotations',
    scope: ['projects:read', 'analytics:read'],
    project: 'query',
    query: contextQuery,
    responses: { 200: { description: 'The context', schema: projectContextResponse } },
    errors: [],
  },
  putProjectContext: {
    ...common,
    method: 'PUT',
    path: '/project-context',
    summary: 'Replace the context',
    scope: 'projects:write',
    project: 'body_or_query',
    body: putProjectContext,
    bodyCode: 'INVALID_BODY',
    maxBodyBytes: MAX_CONTEXT_BYTES,
    responses: { 200: { description: 'The stored context', schema: projectContextResponse } },
    errors: ['CONTEXT_CHANGED', 'PRECONDITION_FAILED'],
  },
  readPortfolioContext: {
    ...common,
    method: 'GET',
    path: '/portfolio-context',
    summary: 'What all projects have in common',
    scope: 'account:read',
    responses: { 200: { description: 'The context', schema: portfolioContextResponse } },
    errors: [],
  },
  putPortfolioContext: {
    ...common,
    method: 'PUT',
    path: '/portfolio-context',
    summary: 'Replace it',
    scope: 'projects:write',
    body: putPortfolioContext,
    bodyCode: 'INVALID_BODY',
    maxBodyBytes: MAX_CONTEXT_BYTES,
    responses: { 200: { description: 'The stored context', schema: portfolioContextResponse } },
    errors: ['CONTEXT_CHANGED', 'PRECONDITION_FAILED'],
  },
  createAnnotation: {
    ...common,
    method: 'POST',
    path: '/projects/{id}/annotations',
    summary: 'Add an annotation',
    scope: 'projects:write',
    project: 'path',
    body: createAnnotation,
    bodyCode: 'INVALID_BODY',
    responses: { 201: { description: 'The annotation', schema: annotation } },
    errors: [],
  },
  deleteAnnotation: {
    ...common,
    method: 'DELETE',
    path: '/projects/{id}/annotations/{annotation}',
    summary: 'Delete one',
    scope: 'projects:write',
    project: 'path',
    responses: { 200: { description: 'The annotation is deleted', schema: okResponse } },
    errors: [],
  },
} as const satisfies Record<string, Route>
