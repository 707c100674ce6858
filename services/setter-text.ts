/** Who set an item, in the words that plans and the command line share. */
import type { Setter } from "./desired-state.ts";

export function setterText(setter: Setter): string {
  switch (setter.kind) {
    case "import":
      return "import";
    case "service":
      return `service ${setter.service}`;
    case "accept":
      return `accepted by plan ${setter.plan}`;
    case "adopted":
      return `adopted by plan ${setter.plan}`;
    case "rollback":
      return `rollback to revision ${String(setter.revision)}`;
  }
}
