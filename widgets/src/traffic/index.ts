/* The traffic widget's entry: what minitf_widgets/traffic.py loads. */
import { render } from "./view";

export default { render };
