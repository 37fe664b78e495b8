"""`tf.Session`: what a program asks for, taken apart, and the backend that has the plan for it."""
