import * as z from 'zod'
import { createProject } from './projects.ts'

/** The request of the deployer for the owner's account and its first project. */
export const ownerRequest = z.strictObject({
  email: z
    .email('Field `email` must be an e-mail address.')
    .optional()
    .meta({ description: 'E-mail address of the owner' }),
  project: createProject.shape.name.default('website'),
  allowed_origins: createProject.shape.allowed_origins,
  demo: z.boolean('Field `demo` must be true or false.').optional().meta({
    description: 'Fills the project `demo` of the owner with made-up traffic, for demo sessions',
  }),
})

/** The response to a request with `demo`. */
export type DemoFilled = { base_url: string; demo_project: string; records: number }

/** Everything that the owner, or an agent for them, needs for the first request. */
export const credentials = z.object({
  base_url: z.string(),
  account_id: z.string(),
  api_key: z.string(),
  project: z.string(),
  project_token: z.string(),
})

export type Credentials = z.infer<typeof credentials>

/** The response of the owner function: the credentials, and a link that signs one browser in as the owner. */
export type OwnerAccess = Credentials & { setup_link: string }
