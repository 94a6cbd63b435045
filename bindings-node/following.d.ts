// Following open payments.

import type { JournalOptions } from './journal.js';
import type { FollowedOperation } from './operations.js';

/**
 * The payments and payouts to follow, and options. The interface has no events: each is queried,
 * later and later, until it has ended, with one query at a time.
 *
 * An end counts as reported when the next one is asked for. If that does not happen, the next
 * iteration with the same state file gives it again, as `repeated`.
 */
export interface FollowOptions {
  /**
   * The payments, by `merchant_payment_code`; by default the payments and refunds that the journal
   * says were done, and its payouts if `payout_query` is on.
   */
  references?: string[];
  /** Whether the references are payment hashes. */
  byHash?: boolean;
  /** Whether they are the `external_reference` of payouts, which needs `payout_query`. */
  byExternalReference?: boolean;
  /** Whether they are the `uid` of payouts, which needs `payout_query`. */
  byUid?: boolean;
  /**
   * The file that remembers what was reported, also after a crash. One process uses it at a time.
   * Without it, the next run reports all again.
   */
  state?: string;
  /** How far back the journal is read, by default 7 days. */
  sinceMs?: number;
  /**
   * The age at which an open payment is given up, by default 7 days. That of a reference counts
   * from when it was first followed.
   */
  giveUpAfterMs?: number;
  /**
   * How long the state file keeps a reported end that no run asks for, by default 90 days, and at
   * least `sinceMs` and a day.
   */
  forgetAfterMs?: number;
  /** The most queries in a second, by default 5. */
  perSecond?: number;
}

/** The end of a payment, a refund or a payout. */
export interface FollowEnd {
  operation: FollowedOperation;
  /** Your reference, or the hash or uid by which it is followed; for a refund the payment hash. */
  reference: string;
  /** The `merchant_refund_code` of a refund. */
  refundCode: string | null;
  /** The service's id of a refund or a payout, if it is known. */
  uid: string | null;
  /** The payment hash, if it is known. */
  hash: string | null;
  /**
   * The hash of a cancelled payment with the same reference, if the payer tried again and this one
   * is paid.
   */
  otherHash: string | null;
  /**
   * `confirmed` (paid or refunded), `cancelled`, `differs` (it has ended, but differs from the journal),
   * `given_up` (queried once a day from then on), or `failed`: the reference is invalid.
   * Two are no ends: `query_failing` (queries fail, and pause) and `behind` (they are late).
   */
  end: 'confirmed' | 'cancelled' | 'differs' | 'given_up' | 'failed' | 'query_failing' | 'behind';
  /** The code of the last status, such as `CO`, or `PA` of a payout. */
  status: string | null;
  /** The amount that the service shows: `amount_total`, or else `amount_ext`. */
  amount: string | null;
  /** Its currency: `currency_code`, or else `currency_ext`. */
  currency: string | null;
  /** Whether this end may have been reported before. */
  repeated: boolean;
  /** Whether a payment that was given up is never reported again. */
  final: boolean;
  /** Why it was given up, differs or failed, or queries fail or are late. */
  reason: string | null;
  /**
   * The code of the error of the last query, or the service's code of a payout that it cancelled,
   * such as `BANK_INFO`.
   */
  code: string | null;
}

/** Follows payments, refunds and payouts by queries, and gives the end of each once. */
export type Follow = (
  options?: FollowOptions,
  callOptions?: JournalOptions,
) => AsyncGenerator<FollowEnd, void>;
