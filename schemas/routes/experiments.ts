import {
  createExperiment,
  experimentList,
  experimentRecord,
  experimentsQuery,
  experimentWithResults,
  updateExperiment,
} from '#schemas/experiments'
import { deletedProject } from '#schemas/projects'
import type { Route } from '#schemas/route'

/**
 * Tests of texts, and what they show (docs/api/experiments.md). The tracker reads them from GET
 * /experiments/config.
 */

const common = { tag: 'Experiments', auth: 'account', tier: 'pro' } as const

export const experimentsRoutes = {
  listExperiments: {
    ...common,
    method: 'GET',
    path: '/experiments',
    summary: 'Experiments, newest first',
    function: 'control',
    scope: 'experiments:read',
    project: 'query',
    query: experimentsQuery,
    responses: { 200: { description: 'The experiments', schema: experimentList } },
    errors: [],
  },
  createExperiment: {
    ...common,
    method: 'POST',
    path: '/experiments',
    summary: 'Create an active experiment',
    function: 'control',
    scope: 'experiments:write',
    project: 'body',
    body: createExperiment,
    responses: { 201: { description: 'The new experiment', schema: experimentRecord } },
    errors: ['INVALID_VARIANTS', 'EXPERIMENT_NAME_EXISTS'],
  },
  readExperiment: {
    ...common,
    method: 'GET',
    path: '/experiments/{id}',
    summary: 'One with results',
    // The results come from the lake.
    function: 'reports',
    scope: 'experiments:read',
    responses: { 200: { description: 'The experiment', schema: experimentWithResults } },
    errors: ['EXPERIMENT_NOT_FOUND', 'QUERY_FAILED'],
  },
  updateExperiment: {
    ...common,
    method: 'PATCH',
    path: '/experiments/{id}',
    summary: 'Pause, resume or complete it',
    // Without a winner in the request, the results decide.
    function: 'reports',
    scope: 'experiments:write',
    body: updateExperiment,
    responses: { 200: { description: 'The experiment', schema: experimentRecord } },
    errors: ['EXPERIMENT_NOT_FOUND', 'INVALID_EXPERIMENT_STATUS', 'INVALID_VARIANTS', 'QUERY_FAILED'],
  },
  deleteExperiment: {
    ...common,
    method: 'DELETE',
    path: '/experiments/{id}',
    summary: 'Delete it',
    function: 'control',
    scope: 'experiments:write',
    responses: { 200: { description: 'The experiment is deleted', schema: deletedProject } },
    errors: ['EXPERIMENT_NOT_FOUND'],
  },
} as const satisfies Record<string, Route>
