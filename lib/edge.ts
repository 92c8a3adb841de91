import { Aws, Duration } from 'aws-cdk-lib'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestCookieBehavior,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginRequestQueryStringBehavior,
  OriginSslPolicy,
  PriceClass,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { FunctionUrlOrigin, HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import type { FunctionUrl } from 'aws-cdk-lib/aws-lambda'
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53'
import { Construct } from 'constructs'
import { routes } from '#schemas/routes'
import { acceptFindings } from './accept-findings.ts'
import type { Config } from './config.ts'
import { createHeadersPolicy } from './edge-headers.ts'
import { ingestionRows, pagePaths, scriptPaths, streamPaths } from './edge-paths.ts'

/**
 * CloudFront's header with the country of the viewer. CloudFront replaces a header of this name from the
 * viewer.
 */
const COUNTRY_HEADER = 'CloudFront-Viewer-Country'
/** The name of that header in a function's event. */
export const COUNTRY_HEADER_SEEN = COUNTRY_HEADER.toLowerCase()

/** The fixed zone id of all CloudFront distributions (docs.aws.amazon.com/Route53, alias targets). */
const CLOUDFRONT_ZONE = 'Z2FDTNDATAQYW2'

const PRICE_CLASSES = {
  '100': PriceClass.PRICE_CLASS_100,
  '200': PriceClass.PRICE_CLASS_200,
  all: PriceClass.PRICE_CLASS_ALL,
}

/** A heartbeat comes every 30 s. 60 s is the most that CloudFront allows without a request to AWS. */
const STREAM_READ_SECONDS = 60
/** The function that takes events ends by itself after 15 s (lib/function-sizes.ts). */
const INGESTION_READ_SECONDS = 30

/** Runs at the edge. It replaces a header of this name from the viewer. */
const TELL_HOST = `function handler(event) {
  var request = event.request
  request.headers['x-footfall-host'] = { value: request.headers.host.value }
  return request
}`

export type EdgeProps = {
  apiHost: string
  /** The address of the function that serves streams; null: there are none. */
  streamUrl: FunctionUrl | null
  /** The address of the function that takes events; null: it is called by the API. */
  trackUrl: FunctionUrl | null
  /** What every request through CloudFront carries (lib/edge-keys.ts). */
  key: string
  config: Config
}

/**
 * CloudFront caches these responses for 10 s by default. They must not be cached: an error concerns one
 * request.
 */
const ERROR_STATUSES = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]

/**
 * CloudFront in front of the API. It ends TLS near the browser, adds the country of the viewer and caches the
 * scripts and the experiments of projects. It caches nothing else.
 */
export class Edge extends Construct {
  readonly distribution: Distribution
  private cookielessPolicies?: Pick<BehaviorOptions, 'cachePolicy' | 'originRequestPolicy'>
  /** Address of the service, without a slash at its end. */
  readonly baseUrl: string
  private readonly key: string
  private readonly prefix: string

  constructor(scope: Construct, id: string, { apiHost, streamUrl, trackUrl, key, config }: EdgeProps) {
    super(scope, id)
    this.key = key
    // Names of policies belong to the whole account, so that a stack of the same name in another region needs
    // others.
    this.prefix = `${config.stackName}-${Aws.REGION}`
    const responseHeadersPolicy = createHeadersPolicy(this, `${this.prefix}-headers`)
    const passThrough = this.createPassThroughPolicy()
    const origin = new HttpOrigin(apiHost, {
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      readTimeout: Duration.seconds(30),
      keepaliveTimeout: Duration.seconds(30),
      customHeaders: { 'X-Footfall-Edge': this.key },
    })
    const ingestionOrigin = trackUrl && this.urlOrigin(trackUrl, INGESTION_READ_SECONDS)
    const byToken = this.cachedByToken(origin)
    const toApi: BehaviorOptions = {
      origin,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      cachePolicy: passThrough,
      // All headers but Host, because API Gateway finds the API by its own host name.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
    }
    const behaviors: Record<string, BehaviorOptions> = {
      ...Object.fromEntries(scriptPaths().map(path => [path, scriptBehavior(origin)])),
      // Everything else is refused without TLS, because a redirect would hide that a credential went without.
      ...Object.fromEntries(
        pagePaths().map(path => [
          path,
          { ...toApi, viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS },
        ]),
      ),
      [routes.experimentsConfig.path]: byToken,
      [routes.replayConfig.path]: byToken,
      ...Object.fromEntries(
        ingestionRows().map(row => [
          row.path,
          this.withoutCookies(row.function === 'track' ? (ingestionOrigin ?? origin) : origin),
        ]),
      ),
      ...(streamUrl && {
        ...Object.fromEntries(streamPaths().map(path => [path, this.streamBehavior(streamUrl, passThrough)])),
      }),
    }
    this.distribution = new Distribution(this, 'Distribution', {
      comment: config.stackName,
      defaultBehavior: { ...toApi, responseHeadersPolicy },
      additionalBehaviors: Object.fromEntries(
        Object.entries(behaviors).map(([path, behavior]) => [path, { ...behavior, responseHeadersPolicy }]),
      ),
      errorResponses: ERROR_STATUSES.map(httpStatus => ({ httpStatus, ttl: Duration.seconds(0) })),
      priceClass: PRICE_CLASSES[config.priceClass],
      httpVersion: HttpVersion.HTTP2_AND_3,
      enableIpv6: true,
      ...(config.webAclArn !== undefined && { webAclId: config.webAclArn }),
      ...(config.domainName !== undefined &&
        config.certificateArn !== undefined && {
          domainNames: [config.domainName],
          certificate: Certificate.fromCertificateArn(this, 'Certificate', config.certificateArn),
          minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        }),
    })
    this.baseUrl = `https://${config.domainName ?? this.distribution.distributionDomainName}`
    if (config.hostedZoneId !== undefined) this.addDnsRecords(config.hostedZoneId, config.domainName ?? '')
    this.acceptDistributionFindings(config)
  }

  /**
   * Ingestion never sees a cookie: pages of measured sites may send theirs along. All other functions see
   * cookies only on the rows that have `cookies` (lambdas/http/visible-headers.ts).
   */
  private withoutCookies(origin: IOrigin): BehaviorOptions {
    this.cookielessPolicies ??= {
      cachePolicy: this.createPassThroughPolicy('NoCookies', CacheCookieBehavior.none()),
      originRequestPolicy: new OriginRequestPolicy(this, 'NoCookiesRequest', {
        originRequestPolicyName: `${this.prefix}-no-cookies`,
        comment: 'All headers but Host, and no cookies',
        headerBehavior: OriginRequestHeaderBehavior.denyList('Host'),
        queryStringBehavior: OriginRequestQueryStringBehavior.all(),
        cookieBehavior: OriginRequestCookieBehavior.none(),
      }),
    }
    return {
      origin,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      ...this.cookielessPolicies,
    }
  }

  /**
   * The experiments of a project are the same for every browser, and the page of every session asks for them.
   */
  private cachedByToken(origin: IOrigin): BehaviorOptions {
    return {
      origin,
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      cachePolicy: new CachePolicy(this, 'Experiments', {
        cachePolicyName: `${this.prefix}-experiments`,
        comment: 'Caches what a project tells its scripts as long as their Cache-Control says',
        minTtl: Duration.seconds(0),
        defaultTtl: Duration.seconds(0),
        maxTtl: Duration.minutes(1),
        queryStringBehavior: CacheQueryStringBehavior.allowList('token'),
        enableAcceptEncodingGzip: true,
        enableAcceptEncodingBrotli: true,
      }),
    }
  }

  /**
   * Streams go straight to the URL of their function, because an HTTP API cannot stream. The function on the
   * request tells it the host that the caller used. CloudFront waits longer for the next bytes than the pause
   * between two heartbeats, and compresses nothing.
   */
  private streamBehavior(url: FunctionUrl, cachePolicy: CachePolicy): BehaviorOptions {
    const tellHost = new EdgeFunction(this, 'TellHost', {
      functionName: `${this.prefix}-host`,
      comment: 'Copies the host of the request, which the origin does not see',
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(TELL_HOST),
    })
    return {
      origin: this.urlOrigin(url, STREAM_READ_SECONDS),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      cachePolicy,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      functionAssociations: [{ function: tellHost, eventType: FunctionEventType.VIEWER_REQUEST }],
      compress: false,
    }
  }

  /**
   * The URL of a function as an origin. It is open to everybody, so the function demands the header of the
   * edge. CloudFront could sign its requests (OAC), but only with the hash of the body in a header of the
   * viewer, which browsers do not send.
   */
  private urlOrigin(url: FunctionUrl, readSeconds: number): IOrigin {
    return new FunctionUrlOrigin(url, {
      readTimeout: Duration.seconds(readSeconds),
      keepaliveTimeout: Duration.seconds(30),
      customHeaders: { 'X-Footfall-Edge': this.key },
    })
  }

  /**
   * A cache policy that in effect caches nothing. CloudFront passes its own headers and Authorization to the
   * origin only when a cache policy with caching names them. So this policy allows one second, but only for
   * responses whose Cache-Control allows it, and every response of the API says no-store. Credentials, query
   * string and cookies are part of the cache key, so a response can never reach another caller.
   */
  private createPassThroughPolicy(
    id = 'PassThrough',
    cookieBehavior = CacheCookieBehavior.all(),
  ): CachePolicy {
    return new CachePolicy(this, id, {
      cachePolicyName: `${this.prefix}-${id}`,
      comment: 'Caches nothing. Passes credentials and the country of the viewer',
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.seconds(1),
      headerBehavior: CacheHeaderBehavior.allowList('Authorization', 'X-API-Key', 'Origin', COUNTRY_HEADER),
      queryStringBehavior: CacheQueryStringBehavior.all(),
      cookieBehavior,
      enableAcceptEncodingGzip: true,
      enableAcceptEncodingBrotli: true,
    })
  }

  private addDnsRecords(hostedZoneId: string, name: string): void {
    for (const type of ['A', 'AAAA']) {
      new CfnRecordSet(this, `Name-${type}`, {
        hostedZoneId,
        name,
        type,
        aliasTarget: { dnsName: this.distribution.distributionDomainName, hostedZoneId: CLOUDFRONT_ZONE },
      })
    }
  }

  private acceptDistributionFindings({ domainName, webAclArn }: Config): void {
    acceptFindings(this.distribution, {
      'AwsSolutions-CFR1': 'Users of a measured site come from all countries.',
      'AwsSolutions-CFR3':
        'CloudFront access logs hold IP addresses of users, which this service promises not to store. The API logs requests without them.',
      ...(webAclArn === undefined && {
        'AwsSolutions-CFR2':
          'The option webAclArn adds a web ACL. It is off by default, as it costs more than the rest of a small site. The API throttles requests, and the functions validate them.',
      }),
      ...(domainName === undefined && {
        'AwsSolutions-CFR4':
          "CloudFront's default certificate does not let us choose the minimum TLS version. With the option domainName the minimum is 1.2.",
      }),
    })
  }
}

/**
 * Caches a script for as long as its Cache-Control says. A page without TLS asks by http, and is redirected.
 */
function scriptBehavior(origin: IOrigin) {
  return {
    origin,
    allowedMethods: AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
    viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
    cachePolicy: CachePolicy.CACHING_OPTIMIZED,
  }
}
