import type { ErrorCode } from '#schemas/errors'
import {
  checkedEvent,
  EVENT_LIMITS,
  queuedBatchResponse,
  queuedResponse,
  trackBatch,
  trackedEvent,
} from '#schemas/event'
import { identifyBody } from '#schemas/identify'
import { trackVerdict } from '#schemas/refusals'
import type { Route } from '#schemas/route'

const ingestionErrors = [
  'INVALID_EVENT',
  'INVALID_PROPERTIES',
  'INVALID_TIMESTAMP',
  'FORBIDDEN',
  'AUTH_REQUIRED',
] as const satisfies ErrorCode[]

export const ingestionRoutes = {
  track: {
    method: 'POST',
    path: '/track',
    tag: 'Ingestion',
    summary: 'Store one event',
    function: 'track',
    auth: 'project_token',
    body: trackedEvent,
    maxBodyDepth: EVENT_LIMITS.bodyDepth,
    maxBodyValues: EVENT_LIMITS.bodyValues,
    responses: { 202: { description: 'The event is stored', schema: queuedResponse } },
    errors: ingestionErrors,
  },
  trackBatch: {
    method: 'POST',
    path: '/track/batch',
    tag: 'Ingestion',
    summary: 'Store up to 100 events',
    function: 'track',
    auth: 'project_token',
    body: trackBatch,
    maxBodyDepth: EVENT_LIMITS.bodyDepth,
    maxBodyValues: EVENT_LIMITS.bodyValues,
    responses: { 202: { description: 'The events are stored', schema: queuedBatchResponse } },
    errors: [...ingestionErrors, 'BATCH_TOO_LARGE', 'MIXED_TOKENS'],
  },
  checkTrack: {
    method: 'POST',
    path: '/track/check',
    tag: 'Ingestion',
    summary: 'What /track would do; stores nothing',
    function: 'track',
    auth: 'project_token',
    body: checkedEvent,
    maxBodyDepth: EVENT_LIMITS.bodyDepth,
    maxBodyValues: EVENT_LIMITS.bodyValues,
    responses: { 200: { description: 'Stored, refused or counted as a bot, and why', schema: trackVerdict } },
    errors: [],
  },
  identify: {
    method: 'POST',
    path: '/identify',
    tag: 'Ingestion',
    summary: 'Two ids are one user; its traits',
    function: 'track',
    auth: 'project_token',
    body: identifyBody,
    maxBodyDepth: EVENT_LIMITS.bodyDepth,
    maxBodyValues: EVENT_LIMITS.bodyValues,
    responses: { 202: { description: 'The link and the traits are stored', schema: queuedResponse } },
    errors: ['FORBIDDEN', 'AUTH_REQUIRED'],
  },
} as const satisfies Record<string, Route>
