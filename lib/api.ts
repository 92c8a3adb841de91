import { Duration, Names, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import {
  CorsHttpMethod,
  HttpApi,
  HttpIntegration,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  type ThrottleSettings,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { CORS } from '#schemas/cors'
import type { Route } from '#schemas/route'
import { routeKeys, routes } from '#schemas/routes'
import { acceptFindings } from './accept-findings.ts'
import type { Concurrency } from './concurrency.ts'
import type { Config } from './config.ts'
import { dataKey } from './data-key.ts'

/** The functions behind the HTTP API, which cannot stream. */
export type ApiFunction = Exclude<Route['function'], 'stream'>

export type ApiProps = {
  config: Config
  /** Capacity of the stream, records a second; null for an on-demand stream. */
  streamRecordsPerSecond: number | null
  /** What the concurrent executions of the account are enough for (lib/concurrency.ts). */
  requests: Concurrency['requests']
}

/**
 * Requests that the gateway lets through for each record of stream capacity. It is well above 1, so that the
 * track function answers when the stream is full, with our error and Retry-After. The gateway's own 429 has
 * neither.
 */
const REQUESTS_PER_RECORD = 2
/** Amazon's limit for a whole account, requests a second. A higher throttle of ours has no effect. */
const ACCOUNT_RATE = 10_000
/** Amazon's limit of requests at once in the regions where it is lowest. */
const ACCOUNT_BURST = 1_250

/**
 * Fields of the access log: the route, the outcome and the time. They hold no personal data: no address, no
 * user agent, no path (it may hold ids), no query string (it may hold a key) and no free text.
 */
const ACCESS_LOG_FIELDS = {
  requestId: '$context.requestId',
  /** That of the function's call, which its log lines have as `function_request_id`. */
  functionRequestId: '$context.integration.requestId',
  time: '$context.requestTimeEpoch',
  route: '$context.routeKey',
  status: '$context.status',
  latencyMs: '$context.responseLatency',
  functionMs: '$context.integrationLatency',
  bytes: '$context.responseLength',
  functionStatus: '$context.integrationStatus',
  error: '$context.error.responseType',
}

/**
 * The HTTP API. It is created before the functions, because they need its CloudFront address in their
 * settings.
 * `addRoutes` connects them afterwards.
 */
export class Api extends Construct {
  readonly http: HttpApi
  /** Host name of the API itself. */
  readonly host: string
  /** The access log, one line a request. */
  readonly log: LogGroup

  constructor(scope: Construct, id: string, { config, streamRecordsPerSecond, requests }: ApiProps) {
    super(scope, id)
    this.http = new HttpApi(this, 'Http', {
      apiName: config.stackName,
      description: 'Footfall',
      createDefaultStage: false,
      corsPreflight: {
        allowOrigins: [CORS.origin],
        allowMethods: CORS.methods.map(method => CorsHttpMethod[method]),
        allowHeaders: [...CORS.headers],
        exposeHeaders: [...CORS.exposed],
        maxAge: Duration.seconds(CORS.maxAgeSeconds),
      },
    })
    const { region, urlSuffix } = Stack.of(this)
    this.host = `${this.http.apiId}.execute-api.${region}.${urlSuffix}`
    this.log = createAccessLog(this, config)
    const throttle = toThrottleSettings(config, streamRecordsPerSecond, requests)
    new HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: '$default',
      autoDeploy: true,
      ...(throttle && { throttle }),
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.log),
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG_FIELDS)),
      },
    })
  }

  /** Connects each row of the routes table to its function, and every other path to `site`. */
  addRoutes(functions: Record<ApiFunction, { lambda: IFunction }>): void {
    const integrations = Object.fromEntries(
      Object.entries(functions).map(([name, { lambda }]) => [name, this.createIntegration(name, lambda)]),
    ) as Record<ApiFunction, HttpLambdaIntegration>
    for (const route of Object.values<Route>(routes)) {
      if (route.function === 'stream') continue
      for (const key of routeKeys(route)) this.addRoute(key, toRouteKey(key), integrations[route.function])
    }
    // `site` answers 404 for an unknown path and 405 for a wrong method.
    this.addRoute('$default', HttpRouteKey.DEFAULT, integrations.site)
    // Other routes call a function as <api>/<stage>/<method>/<path>. This one calls it as
    // <api>/<stage>/$default, which the permission of the integration does not match.
    functions.site.lambda.addPermission('NoRoute', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: Stack.of(this).formatArn({
        service: 'execute-api',
        resource: this.http.apiId,
        resourceName: '*/$default',
      }),
    })
    for (const [name, { lambda }] of Object.entries(functions)) this.allowBeforeUse(name, lambda)
  }

  /**
   * The API calls a function only after it may. Otherwise a deployment that exchanges the function for an
   * alias of it (lib/rollout.ts) answers 500 for a moment.
   */
  private allowBeforeUse(name: string, lambda: IFunction): void {
    const below = this.node.findAll()
    const id = Names.nodeUniqueId(lambda.node)
    const permissions = below.filter(each => each instanceof CfnPermission && each.node.id.includes(id))
    const integration = below.find(
      each => each instanceof HttpIntegration && each.node.id === integrationId(name),
    )
    integration?.node.addDependency(...permissions)
  }

  private createIntegration(name: string, lambda: IFunction): HttpLambdaIntegration {
    // One permission for the whole API: one for each route would exceed the size limit of a function's
    // policy.
    return new HttpLambdaIntegration(integrationId(name), lambda, { scopePermissionToRoute: false })
  }

  private addRoute(key: string, routeKey: HttpRouteKey, integration: HttpLambdaIntegration): void {
    const id = `Route ${key.replaceAll('/', '.')}`
    const authorizer = new HttpNoneAuthorizer()
    const route = new HttpRoute(this, id, { httpApi: this.http, routeKey, integration, authorizer })
    acceptFindings(route, {
      'AwsSolutions-APIG4':
        'The functions check credentials themselves (lambdas/chain/), by the rows of schemas/routes.ts, as on one machine. An authorizer here would be a second list of who may call what.',
    })
  }
}

function integrationId(name: string): string {
  return `To-${name}`
}

/**
 * The option of the deployer, else the lower one of two limits: from the stream's capacity, and from the
 * concurrent executions of the account. Undefined leaves only the limits of the account.
 */
export function toThrottleSettings(
  { requestsPerSecond }: Config,
  recordsPerSecond: number | null,
  { rate, burst }: Concurrency['requests'],
): ThrottleSettings | undefined {
  const ofStream = (recordsPerSecond ?? Number.POSITIVE_INFINITY) * REQUESTS_PER_RECORD
  const rateLimit = requestsPerSecond ?? Math.min(ofStream, rate)
  if (requestsPerSecond === undefined && rateLimit >= ACCOUNT_RATE) return undefined
  return { rateLimit, burstLimit: Math.min(rateLimit, burst, ACCOUNT_BURST) }
}

/** Converts text such as `GET /projects/{id}`. */
function toRouteKey(key: string): HttpRouteKey {
  const [method, path] = key.split(' ') as [keyof typeof HttpMethod, string]
  return HttpRouteKey.with(path, HttpMethod[method])
}

/**
 * The name starts with /aws/vendedlogs/, because log deliveries there need no entry in the account's log
 * policy, whose size is limited.
 */
function createAccessLog(scope: Construct, config: Config): LogGroup {
  const { stackName, logRetentionDays } = config
  const encryptionKey = dataKey(scope, config)
  return new LogGroup(scope, 'AccessLog', {
    logGroupName: `/aws/vendedlogs/${stackName}/api`,
    retention: logRetentionDays,
    ...(encryptionKey && { encryptionKey }),
    removalPolicy: RemovalPolicy.DESTROY,
  })
}
