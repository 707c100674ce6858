/** The evaluation context of XPath 1.0 section 1, with the initial node of RFC 7950 section 10.1.1 (`current()`). */
import type { DataDocument } from "./data-document.ts";
import type { XPathNode } from "./xpath-node.ts";

export class Frame {
  readonly document: DataDocument;
  readonly current: XPathNode;
  node: XPathNode;
  /** From 1. */
  position: number;
  size: number;

  constructor(current: XPathNode, node: XPathNode = current, size = 1) {
    this.document = current.document;
    this.current = current;
    this.node = node;
    this.position = 1;
    this.size = size;
  }
}
