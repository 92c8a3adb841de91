import type { Route } from '../routes.ts'

const javascript = { contentType: 'application/javascript' }

export const trackingRoutes = {
  trackerJs: {
    method: 'GET',
    path: '/tracker.js',
    tag: 'Tracking',
    summary: 'The browser tracker',
    function: 'site',
    auth: 'none',
    responses: { 200: { description: 'The script, with its SHA-256 in X-Tracker-SHA256', ...javascript } },
    errors: [],
  },
  trackerSource: {
    method: 'GET',
    path: '/tracker.src.js',
    tag: 'Tracking',
    summary: 'The browser tracker as readable source',
    function: 'site',
    auth: 'none',
    responses: { 200: { description: 'The same script, not minified', ...javascript } },
    errors: [],
  },
} as const satisfies Record<string, Route>
