import { experimentsConfig, experimentsConfigQuery } from '#schemas/experiments-config'
import type { Route } from '#schemas/route'

const javascript = { contentType: 'application/javascript' }

export const trackingRoutes = {
  trackerJs: {
    method: 'GET',
    path: '/tracker.js',
    tag: 'Tracking',
    summary: 'The tracker',
    function: 'site',
    auth: 'none',
    responses: { 200: { description: 'The script, with its SHA-256 in X-Tracker-SHA256', ...javascript } },
    errors: [],
  },
  trackerCore: {
    method: 'GET',
    path: '/tracker.core.js',
    tag: 'Tracking',
    summary: 'A smaller one',
    function: 'site',
    auth: 'none',
    responses: { 200: { description: 'The script, with its SHA-256 in X-Tracker-SHA256', ...javascript } },
    errors: [],
  },
  trackerVersion: {
    method: 'GET',
    path: '/tracker/{version}',
    tag: 'Tracking',
    summary: 'Both trackers by the hash of their content',
    function: 'site',
    auth: 'none',
    responses: {
      200: {
        description: 'The same script, cached for a year when `version` is the current one, else for an hour',
        ...javascript,
      },
    },
    errors: [],
  },
  trackerSource: {
    method: 'GET',
    path: '/tracker.src.js',
    tag: 'Tracking',
    summary: 'The tracker as readable source',
    function: 'site',
    auth: 'none',
    responses: { 200: { description: 'The same script, not minified', ...javascript } },
    errors: [],
  },
  recorderJs: {
    method: 'GET',
    path: '/replay.js',
    tag: 'Tracking',
    summary: 'The recorder',
    function: 'replay',
    auth: 'none',
    responses: { 200: { description: 'The script, with its SHA-256 in X-Replay-SHA256', ...javascript } },
    errors: [],
  },
  recorderVersion: {
    method: 'GET',
    path: '/replay/recorder/{version}',
    tag: 'Tracking',
    summary: 'The recorder by the hash of its content',
    function: 'replay',
    auth: 'none',
    responses: { 200: { description: 'This script, cached for a year', ...javascript } },
    errors: ['NOT_FOUND'],
  },
  experimentsConfig: {
    method: 'GET',
    path: '/experiments/config',
    tag: 'Tracking',
    summary: 'Experiments, for the tracker',
    function: 'control',
    auth: 'none',
    query: experimentsConfigQuery,
    responses: {
      200: {
        description: 'The active experiments. Caches keep them for 60 s',
        schema: experimentsConfig,
        contentType: 'application/json',
      },
    },
    errors: ['MISSING_FIELDS', 'INVALID_TOKEN'],
  },
} as const satisfies Record<string, Route>
