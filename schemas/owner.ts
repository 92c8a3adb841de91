import * as z from 'zod'
import { createProject } from './projects.ts'

/** What the deployer may say when they make the owner's account and its first project. */
export const ownerRequest = z.strictObject({
  email: z.email('email takes an address').optional().meta({ description: 'Address of the owner' }),
  project: createProject.shape.name.default('website'),
  allowed_origins: createProject.shape.allowed_origins,
})

/** What a newcomer, or an agent that works for them, needs for the first call. */
export const credentials = z.object({
  base_url: z.string(),
  account_id: z.string(),
  api_key: z.string(),
  project: z.string(),
  project_token: z.string(),
})

export type Credentials = z.infer<typeof credentials>
