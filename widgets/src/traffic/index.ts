/* The traffic widget's entry: what minitf_widgets/traffic/view.py loads. */
import { render } from "./view";

export default { render };
