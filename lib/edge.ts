import { Duration } from 'aws-cdk-lib'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import {
  AllowedMethods,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  HttpVersion,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  PriceClass,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53'
import { Construct } from 'constructs'
import { type Route, routes } from '#schemas/routes'
import { acknowledge } from './acknowledge.ts'
import type { Config } from './config.ts'

/** CloudFront's header with the country of the viewer; it replaces what the viewer sends under this name. */
const COUNTRY_HEADER = 'CloudFront-Viewer-Country'
/** The name as functions see it. */
export const COUNTRY_HEADER_SEEN = COUNTRY_HEADER.toLowerCase()

/** The zone in which all distributions lie (docs.aws.amazon.com/Route53, alias targets). */
const CLOUDFRONT_ZONE = 'Z2FDTNDATAQYW2'

const PRICE_CLASSES = {
  '100': PriceClass.PRICE_CLASS_100,
  '200': PriceClass.PRICE_CLASS_200,
  all: PriceClass.PRICE_CLASS_ALL,
}

/** Answers that CloudFront would keep for 10 s on its own: an error belongs to one caller and one moment. */
const ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]

/**
 * CloudFront in front of the API: TLS near the visitor, the visitor's country, and the scripts kept near them. What else
 * passes through it is not kept.
 */
export class Edge extends Construct {
  readonly distribution: Distribution
  /** Address of the service, without a slash at its end. */
  readonly baseUrl: string

  constructor(scope: Construct, id: string, { apiHost, config }: { apiHost: string; config: Config }) {
    super(scope, id)
    const origin = new HttpOrigin(apiHost, {
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      readTimeout: Duration.seconds(30),
      keepaliveTimeout: Duration.seconds(30),
    })
    this.distribution = new Distribution(this, 'Distribution', {
      comment: config.stackName,
      defaultBehavior: {
        origin,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        cachePolicy: this.passThrough(),
        // All headers but Host, by which API Gateway would look for another API.
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      },
      additionalBehaviors: Object.fromEntries(scriptPaths().map(path => [path, scriptBehavior(origin)])),
      errorResponses: ERRORS.map(httpStatus => ({ httpStatus, ttl: Duration.seconds(0) })),
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
    if (config.hostedZoneId !== undefined) this.enterName(config.hostedZoneId, config.domainName ?? '')
    this.acknowledge(config)
  }

  /**
   * CloudFront adds its own headers only where the cache policy names them, and takes Authorization only from there too
   * unless nothing at all may be kept. So this policy may keep answers for a second, but only those that allow it by
   * Cache-Control: everything of the API says no-store. The credentials are part of the key all the same, as are the
   * query string and the cookies: no answer could ever be given to another caller.
   */
  private passThrough(): CachePolicy {
    return new CachePolicy(this, 'PassThrough', {
      comment: 'Keeps nothing; passes credentials and the country of the viewer',
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.seconds(1),
      headerBehavior: CacheHeaderBehavior.allowList('Authorization', 'X-API-Key', 'Origin', COUNTRY_HEADER),
      queryStringBehavior: CacheQueryStringBehavior.all(),
      cookieBehavior: CacheCookieBehavior.all(),
      enableAcceptEncodingGzip: true,
      enableAcceptEncodingBrotli: true,
    })
  }

  private enterName(hostedZoneId: string, name: string): void {
    for (const type of ['A', 'AAAA']) {
      new CfnRecordSet(this, `Name-${type}`, {
        hostedZoneId,
        name,
        type,
        aliasTarget: { dnsName: this.distribution.distributionDomainName, hostedZoneId: CLOUDFRONT_ZONE },
      })
    }
  }

  private acknowledge({ domainName, webAclArn }: Config): void {
    acknowledge(this.distribution, {
      'AwsSolutions-CFR1': 'Visitors of a measured site come from everywhere.',
      'AwsSolutions-CFR3':
        'Its access logs hold the addresses of visitors, which this service promises not to keep; the API logs requests without them.',
      ...(webAclArn === undefined && {
        'AwsSolutions-CFR2':
          'A web ACL is the option webAclArn: it costs more than all else that a small site needs. The API throttles, and the functions check what they take.',
      }),
      ...(domainName === undefined && {
        'AwsSolutions-CFR4':
          "CloudFront's own name has CloudFront's own certificate, whose least version of TLS cannot be chosen; with the option domainName it is 1.2.",
      }),
    })
  }
}

/** The scripts of the routes table: the only answers that are the same for everybody. */
function scriptPaths(): string[] {
  const rows: Route[] = Object.values(routes)
  return rows
    .filter(({ responses }) => responses[200]?.contentType === 'application/javascript')
    .map(({ path }) => path)
}

/** Kept for as long as their Cache-Control says. Loading them across origins is allowed whoever asked first. */
function scriptBehavior(origin: IOrigin) {
  return {
    origin,
    allowedMethods: AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
    viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    cachePolicy: CachePolicy.CACHING_OPTIMIZED,
    responseHeadersPolicy: ResponseHeadersPolicy.CORS_ALLOW_ALL_ORIGINS,
  }
}
