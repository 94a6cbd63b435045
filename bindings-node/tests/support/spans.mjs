// The spans of a process, in the order in which they began.

import { SpanKind, SpanStatusCode } from '@opentelemetry/api';

/** A processor that keeps spans. */
export class SpansInOrder {
  #spans = [];

  onStart(span) {
    this.#spans.push(span);
  }

  onEnd() {}

  async forceFlush() {}

  async shutdown() {}

  /** The spans that began since the last time, below `caller`, as the scenarios have them. */
  taken(caller) {
    const spans = this.#spans.splice(0).filter((span) => span !== caller);
    const ids = [caller, ...spans].map((span) => span?.spanContext().spanId);
    const placeOf = (id) => (id === ids[0] ? null : ids.indexOf(id) - 1);
    return spans.map(({ name, kind, parentSpanContext, status, attributes, events, ended }) => ({
      name: ended ? name : `${name}, which never ended`,
      kind: SpanKind[kind].toLowerCase(),
      parent: placeOf(parentSpanContext?.spanId),
      status: SpanStatusCode[status.code].toLowerCase(),
      description: status.message ?? null,
      attributes,
      events: events.map((event) => ({ name: event.name, attributes: event.attributes })),
    }));
  }
}
