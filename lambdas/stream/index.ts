import { createStreamServices } from '#aws/live-services'
import { functionUrl } from '#lambdas/http/function-url'
import { streamHandler } from './handler.ts'

const { services, edgeKey, instrumentStream } = createStreamServices(process.env)
const serve = (baseUrl: string) => streamHandler({ ...services, baseUrl })
export const handler = instrumentStream(functionUrl(serve, services.log, edgeKey))
