import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type CfnBucket,
  type LifecycleRule,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { tables } from '#schemas/columns'
import { acknowledge } from './acknowledge.ts'
import { MessageQueue } from './message-queue.ts'

/** Where Lambda puts batches that it has given up; the first part of the key is Lambda's own choice. */
export const FAILURES_PREFIX = 'aws/lambda/'
/** Records that could not be read (core/lake/keys.ts). */
export const QUARANTINE_PREFIX = 'quarantine/'
/** Results of Athena's statements. */
export const RESULTS_PREFIX = 'athena-results/'

/** The lake's prefixes whose objects are deleted within days, as their content went on into a coarser copy. */
const FINER = [tables.events_hot.prefix, tables.events_warm.prefix]
/** Nobody has looked at it in a year: it holds events, so it does not stay for ever. */
const KEEP_ASIDE = Duration.days(400)

/**
 * All data that outlives the stack, beside the stream's: the lake's bucket and the state table. Both stay when the stack
 * is deleted, and can be brought back to any moment of the last days (docs/operations.md). A first deployment that fails
 * takes its empty bucket back, and leaves the table: its protection against being deleted would stop the way back.
 */
export class Storage extends Construct {
  readonly bucket: Bucket
  readonly table: Table
  /** A message for each batch under FAILURES_PREFIX, until somebody has dealt with it. */
  readonly failures: MessageQueue

  constructor(scope: Construct, id: string) {
    super(scope, id)
    this.failures = new MessageQueue(this, 'Failures')
    this.bucket = lakeBucket(this)
    this.announceFailures()
    this.table = stateTable(this)
  }

  /**
   * By CloudFormation's own property: the CDK's notifications would deploy a function of theirs for it. The queue's
   * policy must stand before the bucket, which S3 checks against it, so it cannot name the bucket: it names the account.
   */
  private announceFailures(): void {
    const { queue } = this.failures
    const allowed = queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('s3.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    const bucket = this.bucket.node.defaultChild as CfnBucket
    bucket.notificationConfiguration = {
      queueConfigurations: [
        {
          event: 's3:ObjectCreated:*',
          queue: queue.queueArn,
          filter: { s3Key: { rules: [{ name: 'prefix', value: FAILURES_PREFIX }] } },
        },
      ],
    }
    if (allowed.policyDependable) this.bucket.node.addDependency(allowed.policyDependable)
  }
}

/**
 * Encrypted with keys of S3: a key of KMS costs $1 a month and a request for each object, and keeps out nobody whom the
 * bucket's policy does not. Versioned: no function may delete a version, so neither a defect nor a stolen role
 * destroys events for good; what is replaced or deleted stays for days.
 */
function lakeBucket(scope: Construct): Bucket {
  const bucket = new Bucket(scope, 'Lake', {
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    versioned: true,
    lifecycleRules: lifecycle(),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  })
  acknowledge(bucket, {
    'AwsSolutions-S1':
      'Access logs would write a line an object and hold who read what. Only the functions of this stack read and write here; who wants proof turns on data events of CloudTrail.',
  })
  return bucket
}

function lifecycle(): LifecycleRule[] {
  return [
    {
      id: 'unfinished-uploads',
      abortIncompleteMultipartUploadAfter: Duration.days(2),
    },
    // A deleted or replaced object can be had back for two weeks; an erased visitor is gone after them.
    {
      id: 'old-versions',
      noncurrentVersionExpiration: Duration.days(14),
      expiredObjectDeleteMarker: true,
    },
    // Of the finer copies every object is deleted by us, and its rows are in the coarser one.
    ...FINER.map(prefix => ({
      id: `old-versions-${prefix}`,
      prefix: `${prefix}/`,
      noncurrentVersionExpiration: Duration.days(1),
    })),
    // Results are read once, and again for an hour by the same statement.
    {
      id: 'results',
      prefix: RESULTS_PREFIX,
      expiration: Duration.days(1),
      noncurrentVersionExpiration: Duration.days(1),
    },
    ...[QUARANTINE_PREFIX, FAILURES_PREFIX].map(prefix => ({
      id: prefix.replaceAll('/', '-').slice(0, -1),
      prefix,
      expiration: KEEP_ASIDE,
    })),
  ]
}

/**
 * Encrypted, as every table is where nothing else is said, with a key of DynamoDB's, which costs nothing; one of KMS costs
 * requests and guards no better here.
 */
function stateTable(scope: Construct): Table {
  return new Table(scope, 'State', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    timeToLiveAttribute: 'expires_at',
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  })
}
